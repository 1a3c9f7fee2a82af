import { markdown, markdownCode } from '../text/escape.ts';
import { isRefusedPlan } from './failed.ts';
import type { Report } from './report.ts';
import type { Section } from './section.ts';
import { ROLLBACK_TITLES } from './section-rollback.ts';

export const VERDICTS = {
  succeeded: '✅ Rolled out',
  stalled: '❌ Stalled',
  'timed-out': '❌ Timed out',
  rejected: '❌ Rejected',
  superseded: '⚠️ Superseded',
  cancelled: '⚠️ Cancelled',
  planned: '📝 Planned',
  undecided: '⚠️ Undecided',
} as const;

/** Verdict and cause, the one sentence that says it all, and what a rollback came to. */
export function verdict(report: Report): Section {
  const cause = report.cause === '' ? '' : `: ${report.cause}`;
  const title = isRefusedPlan(report) ? '❌ An apply would be refused' : VERDICTS[report.verdict];
  const { rollback } = report;
  const back = rollback === null ? '' : `\n\n**${ROLLBACK_TITLES[rollback.outcome]}.** ${markdown(rollback.reason)}`;
  return { title: 'the verdict', weight: 100, text: `## ${title}${cause}\n\n${markdown(report.reason)}${back}` };
}

/** What was refused, each with its line; the only one without a line is the sentence above. */
export function problems({ problems: all }: Report): Section {
  const lines = all.map(({ message, position }) => {
    const place = position === null ? '' : `${markdownCode(`${position.file}:${position.line}`)} `;
    return `- ${place}${markdown(message)}`;
  });
  const isTold = lines.length === 1 && all[0]?.position === null;
  return { title: 'the problems', weight: 90, text: isTold ? '' : lines.join('\n') };
}
