import type { Shortfall } from '../rollout/shortfall.ts';
import { html, markdown, markdownCode } from '../text/escape.ts';
import type { Report } from './report.ts';
import type { RollbackField, RollbackObject } from './rollback.ts';
import { folded, type Section } from './section.ts';
import { valueText } from './section-changes.ts';

export const ROLLBACK_TITLES = {
  none: '⚪ Nothing rolled back',
  'rolled-back': '↩️ Rolled back',
  refused: '⚠️ Rollback refused',
  failed: '❌ Rollback failed',
} as const;

/** More objects than these are folded. */
const MOST_IN_SIGHT = 10;

/** To what state the rollback went, for how long replicas were missing, and of each object the state before, attempted and after. */
export function rollback({ rollback: told }: Report): Section {
  const section = (text: string) => ({ title: 'the rollback', weight: 75, text });
  if (told === null || (told.target === '' && told.objects.length === 0 && told.shortfall.length === 0))
    return section('');
  const objects = told.objects.flatMap(objectLines).join('\n');
  const count = told.objects.length;
  const parts = [
    `### Rollback`,
    told.target === '' ? '' : `Target: ${markdown(told.target)}.`,
    told.shortfall.map(shortfallLine).join('\n'),
    count > MOST_IN_SIGHT ? folded(html(`${count} objects`), objects) : objects,
  ];
  return section(parts.filter((text) => text !== '').join('\n\n'));
}

function shortfallLine({ workload, seconds, lowest, asked }: Shortfall): string {
  return `- ${markdown(workload)} had fewer replicas than asked for during ${seconds} s; at the least ${lowest} of ${asked} were available.`;
}

const ACTIONS = { restored: '↩️', deleted: '🗑️', kept: '📌', left: '⚠️' } as const;

function objectLines({ kind, name, action, detail, fields }: RollbackObject): readonly string[] {
  const why = detail === '' ? '' : `: ${markdown(detail)}`;
  return [`- ${ACTIONS[action]} **${action}** ${markdown(`${kind}/${name}`)}${why}`, ...fields.map(fieldLine)];
}

function fieldLine({ path, before, attempted, after }: RollbackField): string {
  return `  - ${markdownCode(path)}: before ${valueText(before)}, attempted ${valueText(attempted)}, after ${valueText(after)}`;
}
