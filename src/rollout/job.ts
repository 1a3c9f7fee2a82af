import type { Job } from '../kubernetes.ts';
import type { Counts, Progress } from './progress.ts';
import { isActive, type KindRule } from './rollout.ts';
import { supersededBy } from './superseded.ts';
import type { Target } from './target.ts';

/** The label by which Kueue owns a Job's `suspend`: it resumes the Job when there is room. */
const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';

/**
 * A Job is complete when it has done its work, not when it runs: condition Complete, or SuccessCriteriaMet, which comes before it
 * (batch/v1 JobConditionType). That it failed is a finding (`stall/job.ts`).
 */
export const followJob: KindRule = (target, live, view) => {
  const job = live as unknown as Job;
  const pods = view.podsOf(job.metadata?.uid ?? '');
  const counts = countsOf(job);
  return {
    progress: progressOf(target, job, counts),
    revision: null,
    pods: pods.filter(isActive),
    otherPods: pods.filter((pod) => !isActive(pod)),
    creator: {
      ref: target.ref,
      uid: job.metadata?.uid ?? '',
      failure: null,
      wanted: job.spec?.parallelism ?? 1,
      created: pods.length,
    },
    deadlineSeconds: null,
  };
};

function countsOf(job: Job): Counts {
  const desired = job.spec?.completions ?? 1;
  const succeeded = job.status?.succeeded ?? 0;
  return { desired, updated: (job.status?.active ?? 0) + succeeded, ready: succeeded, available: succeeded, old: 0 };
}

function progressOf(target: Target, job: Job, counts: Counts): Progress {
  const object = job as unknown as Target['desired'];
  const superseded = supersededBy(target, object, () => null);
  if (superseded !== null) return { phase: 'superseded', counts, message: superseded.detail, superseded };
  const done = ['Complete', 'SuccessCriteriaMet'].some((type) => hasCondition(job, type));
  // SuccessCriteriaMet is written before the last success is counted.
  if (done)
    return {
      phase: 'complete',
      counts: { ...counts, ready: Math.max(counts.ready, counts.desired) },
      message: 'complete',
    };
  if (job.spec?.suspend === true && job.metadata?.labels?.[QUEUE_LABEL] === undefined) {
    const detail = 'the Job is suspended (spec.suspend)';
    return { phase: 'superseded', counts, message: detail, superseded: { by: 'suspended', detail } };
  }
  const failed = job.status?.failed ?? 0;
  const retried = failed > 0 ? `, ${failed} failed` : '';
  const message = `${counts.ready} of ${counts.desired} succeeded, ${job.status?.active ?? 0} active${retried}`;
  return { phase: 'progressing', counts, message, deadlineExceeded: false };
}

/** Whether a condition of the Job is True. */
export function hasCondition(job: Job, type: string): boolean {
  return job.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}
