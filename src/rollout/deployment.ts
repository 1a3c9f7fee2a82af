import type { Deployment, KubernetesObject, Pod, ReplicaSet } from '../kubernetes.ts';
import type { Counts, Progress } from './progress.ts';
import { newReplicaSet } from './revision.ts';
import { type Creator, isActive, type KindRule, type Rollout } from './rollout.ts';
import { generationOf, supersededBy } from './superseded.ts';
import type { Target } from './target.ts';
import { timeOf } from './time.ts';
import type { View } from './view.ts';

/** What the API server fills in where a Deployment names no deadline (apps/v1 DeploymentSpec). */
const DEFAULT_DEADLINE_SECONDS = 600;

/**
 * A Deployment is complete when the controller has observed our generation and the ReplicaSet that carries our template, and no
 * other, has every replica ready and available.
 *
 * The controller's own formula (deployment controller, DeploymentComplete) is stricter than "enough are available" and looser than
 * this one: it counts updated pods, not those of our ReplicaSet.
 */
export const followDeployment: KindRule = (target, live, view) => {
  const deployment = live as unknown as Deployment;
  const namespace = target.ref.namespace;
  const ours = newReplicaSet(deployment, view.replicaSets(namespace));
  const observed =
    (deployment.status?.observedGeneration ?? 0) >= Math.max(generationOf(live), generationOf(target.desired));
  const counts = countsOf(deployment, ours);
  return {
    progress: progressOf(target, deployment, ours, counts, observed),
    revision: ours?.metadata?.name ?? null,
    pods: ours === null ? [] : view.podsOf(ours.metadata?.uid ?? '').filter(isActive),
    otherPods: otherPods(deployment, ours, view, namespace),
    creator: ours === null ? null : creatorOf(ours),
    deadlineSeconds: deployment.spec?.progressDeadlineSeconds ?? DEFAULT_DEADLINE_SECONDS,
  } satisfies Rollout;
};

function countsOf(deployment: Deployment, ours: ReplicaSet | null): Counts {
  const status = deployment.status;
  return {
    desired: deployment.spec?.replicas ?? 1,
    updated: ours === null ? 0 : (status?.updatedReplicas ?? 0),
    ready: ours?.status?.readyReplicas ?? 0,
    available: ours?.status?.availableReplicas ?? 0,
    old: Math.max(0, (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0)),
  };
}

function progressOf(
  target: Target,
  live: Deployment,
  ours: ReplicaSet | null,
  counts: Counts,
  observed: boolean,
): Progress {
  const object = live as unknown as KubernetesObject;
  const superseded = supersededBy(target, object, (each) => (each['spec'] as Deployment['spec'])?.template);
  if (superseded !== null) return { phase: 'superseded', counts, message: superseded.detail, superseded };
  if (live.spec?.paused === true) {
    const detail = 'the rollout is paused (spec.paused)';
    return { phase: 'superseded', counts, message: detail, superseded: { by: 'paused', detail } };
  }
  const progressing = (message: string): Progress => ({
    phase: 'progressing',
    counts,
    message,
    deadlineExceeded: observed && deadlineExceeded(target, live),
  });
  if (!observed) return progressing('waiting for the Deployment controller to observe the change');
  if (ours === null && counts.desired > 0) return progressing('waiting for the ReplicaSet of the new template');
  if (counts.updated < counts.desired) return progressing(`${counts.updated} of ${counts.desired} pods updated`);
  if (counts.old > 0) return progressing(`${counts.old} old ${counts.old === 1 ? 'pod' : 'pods'} still there`);
  if (!allAvailable(live, ours, counts)) return progressing(`${counts.ready} of ${counts.desired} pods ready`);
  return { phase: 'complete', counts, message: `${counts.ready} of ${counts.desired} pods ready and available` };
}

function allAvailable(live: Deployment, ours: ReplicaSet | null, counts: Counts): boolean {
  const status = live.status;
  if (counts.desired === 0) return (status?.replicas ?? 0) === 0;
  const available = status?.conditions?.find((condition) => condition.type === 'Available');
  return (
    (status?.availableReplicas ?? 0) >= (status?.updatedReplicas ?? 0) &&
    (status?.readyReplicas ?? 0) >= counts.desired &&
    ours?.spec?.replicas === counts.desired &&
    counts.ready >= counts.desired &&
    counts.available >= counts.desired &&
    available?.status === 'True'
  );
}

/**
 * The controller's verdict, if it can be about our revision: a Deployment keeps the condition of the rollout before ours until the
 * controller has written a new one (kubernetes#49637). A fresh one is written at the earliest one deadline after our apply; half of
 * that leaves room for clocks that differ.
 */
function deadlineExceeded(target: Target, live: Deployment): boolean {
  const condition = live.status?.conditions?.find((each) => each.type === 'Progressing');
  if (condition?.status !== 'False' || condition.reason !== 'ProgressDeadlineExceeded') return false;
  const deadline = (live.spec?.progressDeadlineSeconds ?? DEFAULT_DEADLINE_SECONDS) * 1000;
  return (timeOf(condition.lastUpdateTime) ?? 0) >= target.since + deadline / 2;
}

function otherPods(deployment: Deployment, ours: ReplicaSet | null, view: View, namespace: string): readonly Pod[] {
  const uid = deployment.metadata?.uid;
  const sets = view
    .replicaSets(namespace)
    .filter((set) => set.metadata?.ownerReferences?.some((owner) => owner.uid === uid));
  return sets.flatMap((set) =>
    view.podsOf(set.metadata?.uid ?? '').filter((pod) => set !== ours || pod.metadata?.deletionTimestamp !== undefined),
  );
}

/** A ReplicaSet says in its own condition why the last creation of a pod failed (replica_set controller, ReplicaFailure). */
export function creatorOf(set: ReplicaSet): Creator {
  const failure = set.status?.conditions?.find(
    (condition) => condition.type === 'ReplicaFailure' && condition.status === 'True',
  );
  return {
    ref: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      namespace: set.metadata?.namespace ?? '',
      name: set.metadata?.name ?? '',
    },
    uid: set.metadata?.uid ?? '',
    failure:
      failure?.reason === 'FailedCreate'
        ? { message: failure.message ?? '', since: timeOf(failure.lastTransitionTime) ?? 0 }
        : null,
    wanted: set.spec?.replicas ?? 0,
    created: set.status?.replicas ?? 0,
  };
}
