import type { StatefulSet } from '../kubernetes.ts';
import { REVISION_LABEL } from '../rollout/stateful-set.ts';
import { timeOf } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import { after } from './ripeness.ts';
import { type Family, podSince } from './scene.ts';

const TRAPPED_SECONDS = 60;

/**
 * With OrderedReady a StatefulSet waits for each pod to be ready before it goes on, also for one that its own bad template made: the
 * good template never reaches it (kubernetes#67250). Deleting that pod frees it.
 */
export const statefulSetTrapped: Family = (scene) => {
  if (scene.target.ref.kind !== 'StatefulSet') return [];
  const set = scene.target.desired as unknown as StatefulSet;
  if (set.spec?.podManagementPolicy === 'Parallel' || set.spec?.updateStrategy?.type === 'OnDelete') return [];
  const revision = scene.rollout.revision;
  return scene.rollout.otherPods.flatMap((pod) => {
    const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready');
    const own = pod.metadata?.labels?.[REVISION_LABEL];
    if (
      revision === null ||
      own === revision ||
      ready?.status === 'True' ||
      pod.metadata?.deletionTimestamp !== undefined
    )
      return [];
    const name = pod.metadata?.name ?? '';
    const since = Math.max(scene.target.since, timeOf(ready?.lastTransitionTime) ?? podSince(scene, pod));
    return [
      {
        code: 'StatefulSetTrapped' as const,
        certainty: 'certain' as const,
        scope: 'cluster' as const,
        container: null,
        summary: `Pod ${name} of an earlier revision is not ready, and with podManagementPolicy OrderedReady the StatefulSet waits for it before it takes the new template`,
        evidence: [
          { what: `pod ${name}`, value: `revision ${own ?? 'unknown'}, not ready` },
          { what: 'update revision', value: revision },
        ],
        remedy: {
          text: `Delete that pod: kubectl delete pod ${name} -n ${pod.metadata?.namespace ?? ''}`,
          path: ['spec', 'podManagementPolicy'],
          value: null,
        },
        falsifier: `Pod ${name} becomes ready, or is deleted.`,
        ripeness: after(since, TRAPPED_SECONDS),
        depth: DEPTH.trap,
        pods: [name],
      },
    ];
  });
};
