import type { DaemonSet, Pod } from '../kubernetes.ts';
import { excusedNodes, isDone } from './excused-nodes.ts';
import type { Counts, Progress } from './progress.ts';
import { daemonSetRevision } from './revision.ts';
import { isActive, type KindRule, type Look } from './rollout.ts';
import { REVISION_LABEL } from './stateful-set.ts';
import { generationOf, supersededBy } from './superseded.ts';

/**
 * A DaemonSet is complete when each node that it wants a pod on has an available one of our revision. Nodes that are not ready or
 * cordoned are excused and named: a dead node would hold every rollout for ever (kubernetes#139226).
 */
export const followDaemonSet: KindRule = (target, live, view, look) => {
  const set = live as unknown as DaemonSet;
  const uid = set.metadata?.uid ?? '';
  const hash = daemonSetRevision(set, view.controllerRevisions(target.ref.namespace));
  const owned = view.podsOf(uid);
  const ours = owned.filter((pod) => hash !== null && pod.metadata?.labels?.[REVISION_LABEL] === hash && isActive(pod));
  const observed = (set.status?.observedGeneration ?? 0) >= Math.max(generationOf(live), generationOf(target.desired));
  const counts = countsOf(set, observed);
  const superseded = supersededBy(target, live, (each) => (each['spec'] as DaemonSet['spec'])?.template);
  return {
    progress:
      superseded !== null
        ? { phase: 'superseded', counts, message: superseded.detail, superseded }
        : progressOf(set, owned, hash, counts, observed, look),
    revision: hash,
    pods: observed ? ours : [],
    otherPods: owned.filter((pod) => !ours.includes(pod)),
    creator: {
      ref: { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: target.ref.namespace, name: target.ref.name },
      uid,
      failure: null,
      wanted: counts.desired,
      created: owned.filter(isActive).length,
    },
    deadlineSeconds: null,
  };
};

function countsOf(set: DaemonSet, observed: boolean): Counts {
  const status = set.status;
  const desired = status?.desiredNumberScheduled ?? 0;
  const updated = observed ? (status?.updatedNumberScheduled ?? 0) : 0;
  return {
    desired,
    updated,
    ready: status?.numberReady ?? 0,
    available: status?.numberAvailable ?? 0,
    old: Math.max(0, (status?.currentNumberScheduled ?? 0) - updated),
  };
}

function progressOf(
  set: DaemonSet,
  owned: readonly Pod[],
  hash: string | null,
  counts: Counts,
  observed: boolean,
  look: Look,
): Progress {
  const progressing = (message: string): Progress => ({
    phase: 'progressing',
    counts,
    message,
    deadlineExceeded: false,
  });
  if (!observed) return progressing('waiting for the DaemonSet controller to observe the change');
  if (set.spec?.updateStrategy?.type === 'OnDelete') {
    const message = 'observed; with updateStrategy OnDelete each pod takes the change when it is deleted by hand';
    return { phase: 'complete', counts, message };
  }
  if (counts.updated >= counts.desired && counts.available >= counts.desired) {
    const message =
      counts.desired === 0
        ? 'no node wants a pod of it'
        : `${counts.available} of ${counts.desired} nodes have an available pod`;
    return { phase: 'complete', counts, message };
  }
  const excuse = excusedNodes(set, owned, hash, look);
  const done = owned.filter((pod) => isDone(pod, hash)).length;
  if (excuse !== null && excuse.waiting === 0 && done >= counts.desired - excuse.counted) {
    const message = `${done} of ${counts.desired} nodes have an available pod; excused: ${excuse.names.join(', ')}`;
    return { phase: 'complete', counts, message };
  }
  if (counts.updated < counts.desired) return progressing(`${counts.updated} of ${counts.desired} pods updated`);
  return progressing(`${counts.available} of ${counts.desired} pods available`);
}
