import type {
  ConfigMap,
  ControllerRevision,
  Event,
  HorizontalPodAutoscaler,
  KubernetesObject,
  LimitRange,
  Node,
  ObjectRef,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ResourceQuota,
} from '../kubernetes.ts';

/** A read that a rule asked for: done once it is wanted, again when it is older than `maxAgeSeconds`. */
export type Lookup =
  | { readonly kind: 'nodes' }
  /** Pods of all namespaces that hold a place on a node: for the arithmetic of capacity. */
  | { readonly kind: 'scheduled-pods' }
  | { readonly kind: 'quotas'; readonly namespace: string }
  /** Whether the namespace has a pod with these labels: `app=web,tier=front`. */
  | { readonly kind: 'has-pods'; readonly namespace: string; readonly labelSelector: string }
  | { readonly kind: 'limit-ranges'; readonly namespace: string }
  | { readonly kind: 'pod-autoscalers'; readonly namespace: string }
  | { readonly kind: 'disruption-budgets'; readonly namespace: string }
  /** Whether an object is there. Only its metadata is asked for, so that no Secret's value is ever read. */
  | { readonly kind: 'exists'; readonly ref: ObjectRef }
  | { readonly kind: 'config-map'; readonly namespace: string; readonly name: string }
  /** The whole object: never asked for of a Secret. */
  | { readonly kind: 'object'; readonly ref: ObjectRef }
  | {
      readonly kind: 'log';
      readonly namespace: string;
      readonly pod: string;
      readonly container: string;
      /** The log of the container's last run but one state: `kubectl logs --previous`. */
      readonly previous: boolean;
      /** Which run of the container, so that a new run is read anew. */
      readonly restart: number;
    };

/** What came of a read. `forbidden` names the right that is missing, e.g. `list nodes`. */
export type Known<T> =
  | { readonly state: 'known'; readonly value: T; readonly at: number }
  | { readonly state: 'forbidden'; readonly right: string; readonly at: number }
  | { readonly state: 'failed'; readonly reason: string; readonly at: number }
  | { readonly state: 'unread' };

export interface LookupValues {
  readonly nodes: readonly Node[];
  readonly 'scheduled-pods': readonly Pod[];
  readonly quotas: readonly ResourceQuota[];
  readonly 'has-pods': boolean;
  readonly 'limit-ranges': readonly LimitRange[];
  readonly 'pod-autoscalers': readonly HorizontalPodAutoscaler[];
  readonly 'disruption-budgets': readonly PodDisruptionBudget[];
  readonly exists: boolean;
  readonly 'config-map': ConfigMap | null;
  readonly object: KubernetesObject | null;
  /** The tail of the log, oldest line first; empty if the container wrote nothing. */
  readonly log: readonly string[];
}

/** One run of a container that ended. Times are milliseconds since the epoch by the node's clock; null if the kubelet did not say. */
export interface ContainerExit {
  readonly restart: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly exitCode: number;
  readonly signal: number | null;
  readonly reason: string;
  readonly message: string;
}

/** A reason for which a container was waiting, with the spans in which it was seen. */
export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** How often the container entered this state: an observation that repeats without a change does not count. */
  readonly times: number;
}

/** What was seen of one container over its pod's life, which the pod's status no longer shows. */
export interface ContainerMemory {
  readonly name: string;
  readonly waiting: readonly WaitingReason[];
  /** The reason for which it waits now; null if it does not. */
  readonly current: string | null;
  readonly exits: readonly ContainerExit[];
  /** Since when the container is ready; null if it is not. */
  readonly readySince: number | null;
  readonly wasReady: boolean;
  /** When it was last seen to lose its readiness; null if it never had it, or has it. */
  readonly lostAt: number | null;
  /** How often Ready turned from true to false without the container being restarted. */
  readonly readyLost: number;
}

export interface PodMemory {
  readonly uid: string;
  readonly firstSeen: number;
  readonly containers: ReadonlyMap<string, ContainerMemory>;
  /** When the pod's Ready condition was first seen true; null if never. */
  readonly firstReady: number | null;
}

/** What is known of the cluster at a moment: plain data, no clock, no connection. */
export interface View {
  /** The live object of a target, or null if it is not (or no longer) there. */
  readonly object: (ref: ObjectRef) => KubernetesObject | null;
  /** The last state of an object that was deleted while it was watched; null if it was not. */
  readonly departed: (ref: ObjectRef) => KubernetesObject | null;
  readonly replicaSets: (namespace: string) => readonly ReplicaSet[];
  readonly controllerRevisions: (namespace: string) => readonly ControllerRevision[];
  readonly pods: (namespace: string) => readonly Pod[];
  /** The pods whose controller has this uid. */
  readonly podsOf: (ownerUid: string) => readonly Pod[];
  readonly memory: (podUid: string) => PodMemory | null;
  /** Events on the object of this uid, oldest first. */
  readonly events: (uid: string) => readonly Event[];
  readonly lookup: <K extends Lookup['kind']>(lookup: Extract<Lookup, { kind: K }>) => Known<LookupValues[K]>;
  /** Kinds that may not be read, as rights: `list events in shop`. Rules and signals say so instead of guessing. */
  readonly forbidden: readonly string[];
}
