import type {
  CoreV1Event,
  V1ConfigMap,
  V1Container,
  V1ContainerStatus,
  V1ControllerRevision,
  V1DaemonSet,
  V1Deployment,
  V1Job,
  V1LimitRange,
  V1ManagedFieldsEntry,
  V1Node,
  V1ObjectMeta,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1PodTemplateSpec,
  V1Probe,
  V1ReplicaSet,
  V1ResourceQuota,
  V1StatefulSet,
  V1Status,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';

/** A generated model as it travels: times are RFC 3339 strings, and nobody changes what a server said. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Wire<T[Key]> }
      : T;

export type ConfigMap = Wire<V1ConfigMap>;
export type Container = Wire<V1Container>;
export type ContainerStatus = Wire<V1ContainerStatus>;
export type ControllerRevision = Wire<V1ControllerRevision>;
export type DaemonSet = Wire<V1DaemonSet>;
export type Deployment = Wire<V1Deployment>;
export type Event = Wire<CoreV1Event>;
export type HorizontalPodAutoscaler = Wire<V2HorizontalPodAutoscaler>;
export type Job = Wire<V1Job>;
export type LimitRange = Wire<V1LimitRange>;
export type ManagedFieldsEntry = Wire<V1ManagedFieldsEntry>;
export type Node = Wire<V1Node>;
export type ObjectMeta = Wire<V1ObjectMeta>;
export type PersistentVolumeClaim = Wire<V1PersistentVolumeClaim>;
export type Pod = Wire<V1Pod>;
export type PodDisruptionBudget = Wire<V1PodDisruptionBudget>;
export type PodSpec = Wire<V1PodSpec>;
export type PodTemplateSpec = Wire<V1PodTemplateSpec>;
export type Probe = Wire<V1Probe>;
export type ReplicaSet = Wire<V1ReplicaSet>;
export type ResourceQuota = Wire<V1ResourceQuota>;
export type StatefulSet = Wire<V1StatefulSet>;
export type Status = Wire<V1Status>;

/** Any object of the API, of a kind that this program need not know. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** What names one object in one cluster. `namespace` is empty for an object that lives in none. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A way into an object, e.g. `['spec', 'containers', 0, 'image']`. */
export type FieldPath = readonly (string | number)[];

/** `Deployment/web`, as kubectl prints it, without the namespace. */
export function shortName(ref: Pick<ObjectRef, 'kind' | 'name'>): string {
  return `${ref.kind}/${ref.name}`;
}

/** A key that is equal for two references to the same object, whichever version of its group they name. */
export function refKey(ref: ObjectRef): string {
  return `${groupOf(ref.apiVersion)}/${ref.kind}/${ref.namespace}/${ref.name}`;
}

/** The API group of an apiVersion: `apps` of `apps/v1`, empty for the core group's `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** The reference of an object that came from the server or from a manifest. */
export function refOf(object: KubernetesObject): ObjectRef {
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  };
}
