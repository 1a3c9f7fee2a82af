import type { Report, ReportFinding, ReportWorkload } from './report.ts';

/** What keeps a workload from being there: the cause of its failure, or, of one that was not decided when the wait ended, what was seen of it. */
export function primaryFinding({ cause, verdict, findings }: ReportWorkload): ReportFinding | null {
  return cause ?? (verdict === 'undecided' ? (findings[0] ?? null) : null);
}

/**
 * The workloads that did not get there and of which it is known why: the one that decided the run first, then the others that failed, then
 * those that were not decided when the wait ended; each group in the order of the manifest.
 */
export function failedWorkloads({ workloads, reason }: Report): readonly ReportWorkload[] {
  const rank = (workload: ReportWorkload) => (workload.cause === null ? 2 : workload.reason === reason ? 0 : 1);
  return workloads.filter((workload) => primaryFinding(workload) !== null).sort((a, b) => rank(a) - rank(b));
}

/** A plan that the server would not take: nothing was rejected, but an apply would be. */
export function isRefusedPlan({ mode, verdict }: Report): boolean {
  return mode === 'plan' && verdict === 'rejected';
}
