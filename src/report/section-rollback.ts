import type { Shortfall } from '../rollout/shortfall.ts';
import { markdown, markdownCode } from '../text/escape.ts';
import type { Report } from './report.ts';
import type { RollbackObject } from './rollback.ts';
import type { Section } from './section.ts';

const TITLES = {
  none: '⚪ Nothing rolled back',
  'rolled-back': '↩️ Rolled back',
  refused: '⚠️ Rollback refused',
  failed: '❌ Rollback failed',
} as const;

/** What the rollback came to, and of each object the state before, attempted and after. */
export function rollback({ rollback: told }: Report): Section {
  const title = 'the rollback';
  if (told === null) return { title, weight: 85, text: '' };
  const rows = told.objects.flatMap(objectRows);
  const table =
    rows.length === 0
      ? ''
      : `\n\n| object | rollback | field | before | attempted | after |\n|---|---|---|---|---|---|\n${rows.join('\n')}`;
  const short = told.shortfall.map(shortfallLine).join('');
  const target = told.target === '' ? '' : `\n\nTarget: ${markdown(told.target)}.`;
  return {
    title,
    weight: 85,
    text: `### ${TITLES[told.outcome]}\n\n${markdown(told.reason)}${target}${short}${table}`,
  };
}

function shortfallLine({ workload, seconds, lowest, asked }: Shortfall): string {
  return `\n\n${markdown(workload)} had fewer replicas than asked for during ${seconds} s; at the least ${lowest} of ${asked} were available.`;
}

function objectRows(object: RollbackObject): readonly string[] {
  const name = markdown(`${object.kind}/${object.name}`);
  const what = `${object.action}${object.detail === '' ? '' : `: ${markdown(object.detail)}`}`;
  if (object.fields.length === 0) return [`| ${name} | ${what} | | | | |`];
  return object.fields.map(
    ({ path, before, attempted, after }) =>
      `| ${name} | ${what} | ${markdownCode(path)} | ${value(before)} | ${value(attempted)} | ${value(after)} |`,
  );
}

function value(of: unknown): string {
  if (of === undefined || of === null) return '_absent_';
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  return markdownCode(text.length > 120 ? `${text.slice(0, 120)}…` : text) || '_empty_';
}
