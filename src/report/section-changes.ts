import type { FieldChange } from '../apply/applied.ts';
import { markdown, markdownCode } from '../text/escape.ts';
import type { Report, ReportChange } from './report.ts';
import type { Section } from './section.ts';

/** What was changed, or would be. */
export function changes(report: Report): Section {
  const changed = report.changes.filter((change) => change.action !== 'unchanged');
  const unchanged = report.changes.length - changed.length;
  if (report.changes.length === 0) return { title: 'the changes', weight: 30, text: '' };
  const images = report.imageChanges.map(
    (each) => `- ${markdown(each.object)}: image ${markdownCode(each.from)} → ${markdownCode(each.to)}`,
  );
  const isPlan = report.mode === 'plan';
  const lines = [...images, ...changed.flatMap((change) => changeLines(change, isPlan)), `- ${unchanged} unchanged`];
  return {
    title: 'the changes',
    weight: 30,
    text: `<details${isPlan ? ' open' : ''}><summary>${isPlan ? 'What an apply would change' : 'What this run changed'}</summary>\n\n${lines.join('\n')}\n\n</details>`,
  };
}

const PLANNED = { created: 'create', changed: 'change', unchanged: 'keep' } as const;

function changeLines(change: ReportChange, isPlan: boolean): readonly string[] {
  const action = isPlan ? PLANNED[change.action] : change.action;
  const title = `- **${action}** ${markdown(`${change.kind}/${change.name}`)}`;
  if (change.action === 'created') return [title];
  return [
    title,
    ...change.fields.map(
      (field) => `  - ${markdownCode(field.path)}: ${valueText(field, 'from')} → ${valueText(field, 'to')}`,
    ),
  ];
}

function valueText(field: FieldChange, side: 'from' | 'to'): string {
  const value = field[side];
  if (value === undefined) return '_absent_';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return markdownCode(text.length > 200 ? `${text.slice(0, 200)}…` : text) || '_empty_';
}
