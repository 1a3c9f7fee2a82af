import { type Container, type FieldPath, groupOf, type KubernetesObject, type PodSpec } from '../kubernetes.ts';
import type { Planned } from '../plan/planned.ts';
import { fieldAt, podSpecPath } from '../stall/scene.ts';
import type { PreflightScene } from './scene.ts';

const GROUPS = {
  Deployment: 'apps',
  StatefulSet: 'apps',
  DaemonSet: 'apps',
  ReplicaSet: 'apps',
  Job: 'batch',
  CronJob: 'batch',
  Pod: '',
} as const;

type WorkloadKind = keyof typeof GROUPS;

/** An object of the manifest that runs pods. */
export interface Workload {
  readonly planned: Planned;
  readonly kind: WorkloadKind;
  readonly namespace: string;
  /** Where the pod spec stands in the object. */
  readonly podPath: FieldPath;
  readonly pod: PodSpec;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether the apply makes pods from a template that the cluster does not have yet. */
  readonly isNewTemplate: boolean;
  /** The live object has all its pods, ready and up to date: what it runs with is proven. */
  readonly isComplete: boolean;
  /** Pods of the template are still to come, by this apply or from one before. */
  readonly isMoving: boolean;
}

export function workloadsOf(scene: Pick<PreflightScene, 'objects'>): readonly Workload[] {
  return scene.objects.flatMap((planned) => {
    const kind = kindOf(planned);
    return kind === null ? [] : [workload(planned, kind)];
  });
}

function kindOf({ ref }: Planned): WorkloadKind | null {
  return Object.hasOwn(GROUPS, ref.kind) && GROUPS[ref.kind as WorkloadKind] === groupOf(ref.apiVersion)
    ? (ref.kind as WorkloadKind)
    : null;
}

function workload(planned: Planned, kind: WorkloadKind): Workload {
  const { object } = planned.document;
  const podPath = podSpecPath(kind);
  const metadata = fieldAt(object, [...podPath.slice(0, -1), 'metadata']) as
    | { readonly labels?: Workload['labels'] }
    | undefined;
  const template = kind === 'CronJob' ? 'spec.jobTemplate' : kind === 'Pod' ? 'spec' : 'spec.template';
  const { live, deferred, changes } = planned;
  const isNewTemplate = live === null || deferred !== '' || changes.some(({ path }) => path.startsWith(template));
  const complete = live !== null && isComplete(live);
  return {
    planned,
    kind,
    namespace: planned.ref.namespace,
    podPath,
    // The server has checked the shape; an object that it could not check yet may lack the spec.
    pod: (fieldAt(object, podPath) ?? {}) as PodSpec,
    labels: metadata?.labels ?? {},
    isNewTemplate,
    isComplete: complete,
    isMoving: isNewTemplate || !complete,
  };
}

interface Status {
  readonly observedGeneration?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberReady?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[] | null;
}

function isComplete(live: KubernetesObject): boolean {
  const status = (live['status'] ?? {}) as Status;
  if ((status.observedGeneration ?? 0) < (live.metadata.generation ?? 0)) return false;
  const wanted = (fieldAt(live, ['spec', 'replicas']) ?? 1) as number;
  switch (live.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return wanted > 0 && status.updatedReplicas === wanted && status.readyReplicas === wanted;
    case 'ReplicaSet':
      return wanted > 0 && status.readyReplicas === wanted;
    case 'DaemonSet':
      return (
        (status.numberReady ?? 0) > 0 &&
        status.numberReady === status.desiredNumberScheduled &&
        status.updatedNumberScheduled === status.numberReady
      );
    case 'Job':
      return hasCondition(status, 'Complete');
    case 'Pod':
      return hasCondition(status, 'Ready');
    case 'CronJob':
      return true;
    default:
      return false;
  }
}

function hasCondition({ conditions }: Status, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}

/** The pod spec that the cluster has now; null if there is none. */
export function livePodOf({ planned, podPath }: Workload): PodSpec | null {
  return planned.live === null ? null : ((fieldAt(planned.live, podPath) ?? null) as PodSpec | null);
}

/** How many pods are asked for: what the manifest says, else what the cluster has, else one. */
export function replicasOf({ planned }: Workload): number {
  const path = ['spec', 'replicas'];
  return (fieldAt(planned.document.object, path) ?? fieldAt(planned.live, path) ?? 1) as number;
}

/** A container with its place in the object. */
export interface PlacedContainer {
  readonly container: Container;
  readonly path: FieldPath;
  readonly title: string;
  /** It runs beside the others, rather than before them. */
  readonly runsOn: boolean;
}

/** Init containers first, as they run. */
export function containersOf({ pod, podPath }: Workload): readonly PlacedContainer[] {
  const placed = (list: 'initContainers' | 'containers') =>
    (pod[list] ?? []).map((container, index): PlacedContainer => {
      const role =
        list === 'containers'
          ? 'container'
          : container.restartPolicy === 'Always'
            ? 'sidecar container'
            : 'init container';
      return {
        container,
        path: [...podPath, list, index],
        title: `${role} "${container.name}"`,
        runsOn: role !== 'init container',
      };
    });
  return [...placed('initContainers'), ...placed('containers')];
}
