import { clip, markdown, markdownCode } from '../text/escape.ts';
import type { Report, ReportChange } from './report.ts';
import { folded, type Section } from './section.ts';

/** What this run changed: folded, and open in a plan, where it is what one came for. Values of Secrets are not in the report. */
export function changes({ changes: all, imageChanges, mode }: Report): Section {
  const section = (text: string) => ({ title: 'the changes', weight: mode === 'plan' ? 65 : 30, text });
  if (all.length === 0) return section('');
  const isPlan = mode === 'plan';
  const changed = all.filter((change) => change.action !== 'unchanged');
  const unchanged = all.length - changed.length;
  const images = imageChanges.map(
    (each) => `- ${markdown(each.object)}: image ${markdownCode(each.from)} → ${markdownCode(each.to)}`,
  );
  const lines = [...images, ...changed.flatMap((change) => changeLines(change, isPlan)), `- ${unchanged} unchanged`];
  if (isPlan) return section(`### What an apply would change\n\n${lines.join('\n')}`);
  return section(folded(`What this run changed: ${changed.length} of ${all.length} objects`, lines.join('\n')));
}

const PLANNED = { created: 'create', changed: 'change', unchanged: 'keep' } as const;

function changeLines(change: ReportChange, isPlan: boolean): readonly string[] {
  const action = isPlan ? PLANNED[change.action] : change.action;
  const effect = isPlan ? effectText(change) : '';
  const title = `- **${action}** ${markdown(`${change.kind}/${change.name}`)}${effect}`;
  if (change.action === 'created') return [title];
  return [
    title,
    ...change.fields.map(
      (field) => `  - ${markdownCode(field.path)}: ${valueText(field.from)} → ${valueText(field.to)}`,
    ),
  ];
}

const MARKS = { starts: '🆕', rolls: '🔄', restarts: '⚠️', scales: '↕️', waits: '⚠️', nothing: '' } as const;

function effectText({ effect: { does, text } }: ReportChange): string {
  return text === '' ? '' : `: ${MARKS[does]} ${markdown(text)}`;
}

/** One value of a field, as it fits in a line. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '_absent_';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return markdownCode(clip(text, 200)) || '_empty_';
}
