import type { InProgress, Outcome } from '../github/outcome.ts';
import { clip, logLine, markdown, oneLine } from '../text/escape.ts';
import { annotationsOf } from './annotations.ts';
import { isRefusedPlan } from './failed.ts';
import type { ProgressLine } from './progress-line.ts';
import type { Report } from './report.ts';
import { renderSummary } from './summary.ts';

/** Source: REST API, "Create a commit status", and what its page shows. */
const LONGEST_DESCRIPTION = 140;
/** Source: REST API: a check run's summary and a comment have 65,535 characters; a comment has a mark and a link besides. */
const MOST_BYTES = 64_000;
/** More would be read by nobody, and GitHub takes them in batches. */
const MOST_ANNOTATIONS = 100;

const CONCLUSIONS = {
  succeeded: 'success',
  planned: 'success',
  stalled: 'failure',
  rejected: 'failure',
  'timed-out': 'timed_out',
  superseded: 'neutral',
  cancelled: 'cancelled',
} as const satisfies Record<Report['verdict'], Outcome['conclusion']>;

const TITLES = {
  succeeded: 'Rolled out',
  planned: 'Planned',
  stalled: 'Stalled',
  rejected: 'Rejected',
  'timed-out': 'Timed out',
  superseded: 'Superseded',
  cancelled: 'Cancelled',
} as const satisfies Record<Report['verdict'], string>;

/** What GitHub is told of a run that ended. @param report redacted */
export function outcomeOf(report: Report): Outcome {
  const cause = report.cause === '' ? '' : `: ${report.cause}`;
  const ready = report.ready === '' ? '' : `, ${report.ready} ready`;
  return {
    conclusion: CONCLUSIONS[report.verdict],
    title: `${isRefusedPlan(report) ? 'An apply would be refused' : TITLES[report.verdict]}${cause}${ready}`,
    description: descriptionOf(report),
    summary: renderSummary(report, MOST_BYTES),
    annotations: annotationsOf(report, MOST_ANNOTATIONS)
      .filter(({ file, line }) => file !== '' && line > 0)
      .map(({ level, ...rest }) => ({ level: level === 'error' ? 'failure' : level, ...rest })),
  };
}

/** Cause first, and the rollback last: whatever has to be cut is cut from the middle. */
function descriptionOf({ cause, reason, rollback }: Report): string {
  const ending = rollback === null || rollback.outcome === 'none' ? '' : ` | rollback: ${rollback.outcome}`;
  const text = oneLine(`${cause === '' ? '' : `${cause}: `}${reason}`);
  return `${clip(text, LONGEST_DESCRIPTION - ending.length)}${ending}`;
}

/** What GitHub is told while a run goes on. @param lines of the workloads, redacted */
export function inProgress(lines: readonly ProgressLine[]): InProgress {
  const only = lines.length === 1 ? lines[0] : undefined;
  const title = only === undefined ? `Following ${lines.length} workloads` : `${only.workload}: ${only.text}`;
  return {
    title: clip(logLine(title), LONGEST_DESCRIPTION),
    summary: lines
      .slice(0, 100)
      .map((line) => `- **${markdown(line.workload)}** ${markdown(clip(line.text, 400))}`)
      .join('\n'),
  };
}
