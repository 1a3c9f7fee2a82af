import { groupOf, type ObjectRef } from '../kubernetes.ts';

/**
 * The order in which objects are applied: what others need comes first, what starts pods last, and what sends the cluster's own requests to
 * those pods (webhooks, aggregated APIs) after them. Kinds that are not named stand between configuration and workloads, where custom
 * resources belong. Within a rank the order of the manifest holds.
 */
const RANKS: readonly (readonly string[])[] = [
  ['/Namespace'],
  ['apiextensions.k8s.io/CustomResourceDefinition'],
  [
    'scheduling.k8s.io/PriorityClass',
    'node.k8s.io/RuntimeClass',
    'storage.k8s.io/StorageClass',
    'storage.k8s.io/CSIDriver',
    'networking.k8s.io/IngressClass',
    '/ResourceQuota',
    '/LimitRange',
    'networking.k8s.io/NetworkPolicy',
  ],
  ['/ServiceAccount', '/Secret', '/ConfigMap', '/PersistentVolume', '/PersistentVolumeClaim'],
  ['rbac.authorization.k8s.io/ClusterRole', 'rbac.authorization.k8s.io/Role'],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', 'rbac.authorization.k8s.io/RoleBinding'],
  ['/Service', '/Endpoints', 'discovery.k8s.io/EndpointSlice', 'policy/PodDisruptionBudget'],
  ['*'],
  [
    '/Pod',
    '/ReplicationController',
    'apps/ReplicaSet',
    'apps/DaemonSet',
    'apps/StatefulSet',
    'apps/Deployment',
    'batch/Job',
    'batch/CronJob',
  ],
  ['autoscaling/HorizontalPodAutoscaler', 'networking.k8s.io/Ingress'],
  [
    'apiregistration.k8s.io/APIService',
    'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
    'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
    'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
    'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  ],
];

const RANK_OF: ReadonlyMap<string, number> = new Map(
  RANKS.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)),
);
const FOUNDATION = RANK_OF.get('apiextensions.k8s.io/CustomResourceDefinition') ?? 0;
const OTHER = RANK_OF.get('*') ?? 0;

/** Lower ranks are applied first. */
export function rankOf(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): number {
  return RANK_OF.get(`${groupOf(ref.apiVersion)}/${ref.kind}`) ?? OTHER;
}

/** Whether others can be checked only once this is there: a namespace, or the definition of a kind. */
export function isFoundation(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  return rankOf(ref) <= FOUNDATION;
}

/** The same items in the order of application; stable. */
export function inOrder<T>(items: readonly T[], refOf: (item: T) => ObjectRef): readonly T[] {
  return [...items].sort((a, b) => rankOf(refOf(a)) - rankOf(refOf(b)));
}
