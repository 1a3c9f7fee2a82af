import { failedWorkloads } from './failed.ts';
import { fit } from './fit.ts';
import type { Report } from './report.ts';
import { cause, logs, otherFindings } from './section-cause.ts';
import { changes } from './section-changes.ts';
import { footer, notices } from './section-footer.ts';
import { rollback } from './section-rollback.ts';
import { signals } from './section-signals.ts';
import { timeline } from './section-timeline.ts';
import { problems, verdict } from './section-verdict.ts';
import { warnings } from './section-warnings.ts';
import { workloads } from './section-workloads.ts';

/** GitHub drops a summary of more than 1 MiB as a whole; some room is left for what other steps of the action may add. */
const MOST_BYTES = 1_000_000;

/**
 * The job summary in the order of a person's questions: what happened and why; proof; what to change; what was inspected; what happened
 * when; what changed; what was rolled back; the logs.
 *
 * @param mostBytes what GitHub takes: it is cut from the least important end, saying what was cut
 */
export function renderSummary(report: Report, mostBytes: number = MOST_BYTES): string {
  const failed = failedWorkloads(report);
  const several = failed.length > 1;
  const sections = [
    verdict(report),
    problems(report),
    workloads(report),
    ...failed.flatMap((workload) => [cause(workload, several), signals(workload, several), otherFindings(workload)]),
    warnings(report),
    ...timeline(report),
    changes(report),
    rollback(report),
    ...failed.map(logs),
    notices(report),
    footer(report),
  ];
  return fit(sections, mostBytes);
}
