import type { Job } from '../kubernetes.ts';
import type { Counts, Progress } from './progress.ts';
import { isActive, type KindRule } from './rollout.ts';
import { supersededBy } from './superseded.ts';
import type { Target } from './target.ts';
import type { View } from './view.ts';

/** The label by which Kueue owns a Job's `suspend`: it resumes the Job when there is room. */
const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';

/** A Job that has done its work was complete, also if it is being cleaned away, or gone, before anyone looks (ttlSecondsAfterFinished). */
export function finishedJob(target: Target, view: View): Progress | null {
  if (target.ref.kind !== 'Job') return null;
  const job = (view.object(target.ref) ?? view.departed(target.ref)) as unknown as Job | null;
  const progress = job === null ? null : progressOf(target, job, countsOf(job));
  return progress?.phase === 'complete' ? progress : null;
}

function isDone(job: Job): boolean {
  return ['Complete', 'SuccessCriteriaMet'].some((type) => hasCondition(job, type));
}

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
  // Work that is done stays done, also while the Job is being cleaned away. SuccessCriteriaMet is written before the last success is counted.
  if (isDone(job) && job.metadata?.uid === target.desired.metadata.uid) {
    return {
      phase: 'complete',
      counts: { ...counts, ready: Math.max(counts.ready, counts.desired) },
      message: 'complete',
    };
  }
  const superseded = supersededBy(target, object, () => null);
  if (superseded !== null) return { phase: 'superseded', counts, message: superseded.detail, superseded };
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
