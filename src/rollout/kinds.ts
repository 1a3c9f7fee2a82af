import { groupOf, type KubernetesObject, type ObjectRef } from '../kubernetes.ts';
import { followCustomResource } from './custom-resource.ts';
import { followDaemonSet } from './daemon-set.ts';
import { followDeployment } from './deployment.ts';
import { finishedJob, followJob } from './job.ts';
import type { Counts } from './progress.ts';
import { type KindRule, type Look, type Rollout, withoutPods } from './rollout.ts';
import { followApiService, followClaim, followPod, followReplicaSet, followService } from './single.ts';
import { followStatefulSet } from './stateful-set.ts';
import { supersededBy } from './superseded.ts';
import type { Target } from './target.ts';
import type { View } from './view.ts';

const RULES: ReadonlyMap<string, KindRule> = new Map([
  ['apps/Deployment', followDeployment],
  ['apps/StatefulSet', followStatefulSet],
  ['apps/DaemonSet', followDaemonSet],
  ['apps/ReplicaSet', followReplicaSet],
  ['batch/Job', followJob],
  ['/Pod', followPod],
  ['/ReplicationController', followReplicaSet],
  ['/PersistentVolumeClaim', followClaim],
  ['/Service', followService],
  ['apiregistration.k8s.io/APIService', followApiService],
]);

/** Kinds whose pods are judged, so that their pods and events are watched. */
const WITH_PODS: ReadonlySet<string> = new Set([
  'apps/Deployment',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'apps/ReplicaSet',
  'batch/Job',
  '/Pod',
  '/ReplicationController',
]);

const NOTHING: Counts = { desired: 0, updated: 0, ready: 0, available: 0, old: 0 };

function kindKey(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): string {
  return `${groupOf(ref.apiVersion)}/${ref.kind}`;
}

/** The rule of a kind; null for a kind that is done once it was applied (configuration, RBAC, a CronJob …). */
export function ruleFor(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): KindRule | null {
  const rule = RULES.get(kindKey(ref));
  if (rule !== undefined) return rule;
  return isBuiltIn(groupOf(ref.apiVersion)) ? null : followCustomResource;
}

/** Whether an object becomes something only after it was applied. */
export function isFollowed(object: KubernetesObject): boolean {
  if (object.kind === 'Service' && object.apiVersion === 'v1') {
    return (object['spec'] as { readonly type?: string } | undefined)?.type === 'LoadBalancer';
  }
  return ruleFor(object) !== null;
}

export function hasPods(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  return WITH_PODS.has(kindKey(ref));
}

/** Kubernetes' own groups have no dot, or are one of these: others in `.k8s.io` are somebody's CRDs (`gateway.networking.k8s.io`). */
function isBuiltIn(group: string): boolean {
  return !group.includes('.') || BUILT_IN.has(group);
}

const BUILT_IN: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** How far a target has come: its kind's rule, or what is true of every kind when the object is gone. */
export function follow(target: Target, view: View, look: Look): Rollout {
  const live = view.object(target.ref);
  const finished = finishedJob(target, view);
  if (finished !== null) return withoutPods(finished);
  const gone = supersededBy(target, live, () => null);
  if (live === null || gone?.by === 'deletion') {
    const superseded = gone ?? { by: 'deletion' as const, detail: 'it was deleted by someone else' };
    return withoutPods({ phase: 'superseded', counts: NOTHING, message: superseded.detail, superseded });
  }
  const rule = ruleFor(target.ref) ?? followCustomResource;
  return rule(target, live, view, look);
}
