import type { Problem } from '../problem.ts';
import type { ManifestFile } from './text.ts';

/**
 * Puts one plain sentence in the place of what a template's braces led to. Only where a problem stands on a line that has `{{`: many a good
 * manifest carries templates of others (alert rules, dashboards) as text.
 */
export function explainTemplates(problems: readonly Problem[], { file, text }: ManifestFile): readonly Problem[] {
  if (problems.length === 0 || !text.includes('{{')) return problems;
  const lines = text.split('\n');
  const own = (problem: Problem) =>
    lines[(problem.position?.line ?? 0) - 1]?.includes('{{') === true || problem.message.includes('{{');
  const first = problems.find(own);
  if (first === undefined) return problems;
  const explained: Problem = {
    message: `${file} is a template ({{ … }}), not a manifest; render it first, e.g. with helm template, and name the result`,
    position: first.position,
  };
  return [...problems.filter((problem) => !own(problem)), explained];
}
