import type { Pod, StatefulSet } from '../kubernetes.ts';
import type { Counts, Progress } from './progress.ts';
import { type Creator, isActive, type KindRule } from './rollout.ts';
import { generationOf, supersededBy } from './superseded.ts';

/** The label by which a StatefulSet or DaemonSet pod names its revision (apps/v1 ControllerRevisionHashLabelKey). */
export const REVISION_LABEL = 'controller-revision-hash';

/**
 * A StatefulSet is complete when every replica is ready and available and each pod at or above the partition is of the update
 * revision. With `OnDelete` nothing is replaced by itself: the change counts as done once it was observed.
 */
export const followStatefulSet: KindRule = (target, live, view) => {
  const set = live as unknown as StatefulSet;
  const uid = set.metadata?.uid ?? '';
  const revision = set.status?.updateRevision ?? '';
  const owned = view.podsOf(uid);
  const ours = owned.filter(
    (pod) => revision !== '' && pod.metadata?.labels?.[REVISION_LABEL] === revision && isActive(pod),
  );
  const observed = (set.status?.observedGeneration ?? 0) >= Math.max(generationOf(live), generationOf(target.desired));
  const counts = countsOf(set, ours, observed);
  const superseded = supersededBy(target, live, (each) => (each['spec'] as StatefulSet['spec'])?.template);
  const progress: Progress =
    superseded !== null
      ? { phase: 'superseded', counts, message: superseded.detail, superseded }
      : progressOf(set, owned, counts, observed);
  return {
    progress,
    revision: revision === '' ? null : revision,
    pods: observed ? ours : [],
    otherPods: owned.filter((pod) => !ours.includes(pod)),
    creator: creatorOf(set, target.ref.namespace, owned.length),
    deadlineSeconds: null,
  };
};

function countsOf(set: StatefulSet, ours: readonly Pod[], observed: boolean): Counts {
  const desired = set.spec?.replicas ?? 1;
  const updated = observed ? Math.max(ours.length, set.status?.updatedReplicas ?? 0) : 0;
  return {
    desired,
    updated,
    ready: set.status?.readyReplicas ?? 0,
    available: set.status?.availableReplicas ?? 0,
    old: Math.max(0, (set.status?.replicas ?? 0) - updated),
  };
}

function progressOf(set: StatefulSet, owned: readonly Pod[], counts: Counts, observed: boolean): Progress {
  const progressing = (message: string): Progress => ({
    phase: 'progressing',
    counts,
    message,
    deadlineExceeded: false,
  });
  if (!observed) return progressing('waiting for the StatefulSet controller to observe the change');
  if (set.spec?.updateStrategy?.type === 'OnDelete') {
    const message = 'observed; with updateStrategy OnDelete each pod takes the change when it is deleted by hand';
    return { phase: 'complete', counts, message };
  }
  const status = set.status;
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const wanted = Math.max(0, counts.desired - partition);
  const start = set.spec?.ordinals?.start ?? 0;
  const behind = owned.filter(
    (pod) => ordinalOf(pod) >= start + partition && !isOfRevision(pod, status?.updateRevision),
  );
  if (counts.updated < wanted) return progressing(`${counts.updated} of ${wanted} pods updated`);
  if (behind.length > 0) return progressing(`${behind.length} pods still of the old revision`);
  if ((status?.replicas ?? 0) !== counts.desired)
    return progressing(`${status?.replicas ?? 0} of ${counts.desired} pods exist`);
  if (counts.ready < counts.desired) return progressing(`${counts.ready} of ${counts.desired} pods ready`);
  if (counts.available < counts.desired) return progressing(`${counts.available} of ${counts.desired} pods available`);
  const partly = partition > 0 ? `; partition ${partition} keeps the pods below it on the old revision` : '';
  return {
    phase: 'complete',
    counts,
    message: `${counts.ready} of ${counts.desired} pods ready and available${partly}`,
  };
}

/** The ordinal at the end of a StatefulSet pod's name; -1 where there is none. */
export function ordinalOf(pod: Pod): number {
  const digits = /-(\d+)$/.exec(pod.metadata?.name ?? '')?.[1];
  return digits === undefined ? -1 : Number(digits);
}

function isOfRevision(pod: Pod, revision: string | undefined): boolean {
  return pod.metadata?.labels?.[REVISION_LABEL] === revision;
}

function creatorOf(set: StatefulSet, namespace: string, created: number): Creator {
  return {
    ref: { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name: set.metadata?.name ?? '' },
    uid: set.metadata?.uid ?? '',
    failure: null,
    wanted: set.spec?.replicas ?? 1,
    created,
  };
}
