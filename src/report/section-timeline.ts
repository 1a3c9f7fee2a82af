import { markdown } from '../text/escape.ts';
import { gantt } from './gantt.ts';
import type { Report } from './report.ts';
import { folded, type Section } from './section.ts';

/** What happened when: a picture where something went wrong, and always the same as text. */
export function timeline({ timeline: entries, workloads }: Report): readonly Section[] {
  if (entries.length === 0) return [];
  const several = workloads.length > 1 || entries.some(({ during }) => during === 'rollback');
  const rows = entries.map(
    ({ at, workload, text }) => `| ${at.toFixed(1)} s | ${several ? `${markdown(workload)}: ` : ''}${markdown(text)} |`,
  );
  const table = `| after | what |\n|:--|:--|\n${rows.join('\n')}`;
  const isGood = workloads.every(({ verdict }) => verdict === 'succeeded');
  const picture = isGood ? '' : gantt(entries);
  return [
    {
      title: 'the picture of the timeline',
      weight: 34,
      text: picture === '' ? '' : `### What happened when\n\n${picture}`,
    },
    {
      title: 'the timeline',
      weight: 35,
      text: folded(picture === '' ? 'What happened when' : 'The same as text', table),
    },
  ];
}
