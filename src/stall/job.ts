import type { Job, Pod } from '../kubernetes.ts';
import { hasCondition } from '../rollout/job.ts';
import { DEPTH } from './depth.ts';
import { lastWords } from './last-words.ts';
import { atSight, NEVER } from './ripeness.ts';
import type { Family, Scene } from './scene.ts';

/** A Job that its controller has given up: FailureTarget comes first, Failed once all its pods are gone (batch/v1). */
export const jobFailed: Family = (scene) => {
  if (scene.target.ref.kind !== 'Job') return [];
  const job = scene.view.object(scene.target.ref) as unknown as Job | null;
  const condition = job?.status?.conditions?.find(
    (each) => ['Failed', 'FailureTarget'].includes(each.type) && each.status === 'True',
  );
  if (job === null || condition === undefined) return [];
  const failed = [...scene.rollout.pods, ...scene.rollout.otherPods].filter((pod) => pod.status?.phase === 'Failed');
  const cause = failed.map((pod) => causeOf(pod)).findLast((each) => each !== null) ?? null;
  return [
    {
      code: 'JobFailed' as const,
      certainty: 'certain' as const,
      scope: 'application' as const,
      container: cause?.container ?? null,
      summary: `The Job failed: ${condition.reason ?? 'Failed'}, ${condition.message ?? ''}${cause === null ? '' : `; ${cause.text}`}${lastWordsOf(cause, scene)}`,
      evidence: [
        { what: `condition ${condition.type}`, value: `${condition.reason ?? ''}: ${condition.message ?? ''}` },
        ...(cause === null ? [] : [{ what: `pod ${cause.pod}`, value: cause.text }]),
      ],
      remedy: {
        text: remedyText(condition.reason ?? ''),
        path: ['spec', 'template', 'spec', 'containers'],
        value: null,
      },
      falsifier: 'Nothing: a Job that failed stays so. It must be deleted and created again.',
      ripeness: atSight(scene.now),
      depth: DEPTH.init,
      pods: failed.map((pod) => pod.metadata?.name ?? '').sort(),
    },
  ];
};

interface PodCause {
  readonly pod: string;
  readonly container: string;
  readonly restart: number;
  readonly text: string;
}

function causeOf(pod: Pod): PodCause | null {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const failed = statuses.find((status) => (status.state?.terminated?.exitCode ?? 0) !== 0);
  const end = failed?.state?.terminated;
  if (failed === undefined || end === undefined) return null;
  const name = pod.metadata?.name ?? '';
  return {
    pod: name,
    container: failed.name,
    restart: failed.restartCount,
    text: `container "${failed.name}" ended with exit code ${end.exitCode} (${end.reason ?? 'Error'})`,
  };
}

function lastWordsOf(cause: PodCause | null, scene: Scene): string {
  if (cause === null) return '';
  const log = scene.look({
    kind: 'log',
    namespace: scene.target.ref.namespace,
    pod: cause.pod,
    container: cause.container,
    previous: false,
    restart: cause.restart,
  });
  const said = log.state === 'known' ? lastWords(log.value) : undefined;
  return said === undefined ? '' : `; its last words: ${said.slice(0, 200)}`;
}

function remedyText(reason: string): string {
  if (reason === 'DeadlineExceeded')
    return 'Raise activeDeadlineSeconds, or make the work shorter; then delete the Job and run again.';
  return 'Correct what makes its pod fail (its log is below), then delete the Job and run again.';
}

/** A Job that something holds back. */
export const jobSuspended: Family = (scene) => {
  const job = scene.target.ref.kind === 'Job' ? (scene.view.object(scene.target.ref) as unknown as Job | null) : null;
  if (job === null || !(job.spec?.suspend === true || hasCondition(job, 'Suspended'))) return [];
  return [
    {
      code: 'JobSuspended' as const,
      certainty: 'waiting' as const,
      scope: 'cluster' as const,
      container: null,
      summary: 'The Job is suspended, and something else must resume it',
      evidence: [{ what: 'spec.suspend', value: 'true' }],
      remedy: {
        text: 'See the queue that the Job waits in, or set spec.suspend to false.',
        path: ['spec', 'suspend'],
        value: 'false',
      },
      falsifier: 'The Job is resumed.',
      ripeness: NEVER,
      depth: DEPTH.creation,
      pods: [],
    },
  ];
};
