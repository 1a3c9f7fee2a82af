import { groupOf, type KubernetesObject } from '../kubernetes.ts';

interface Counted {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly desiredNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberReady?: number;
  readonly numberAvailable?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/**
 * Why a workload was not ready as it stood; empty if it was, or if its kind has no readiness of its own. By its status alone.
 * Source: kubectl, pkg/polymorphichelpers/rollout_status.go, and the stricter rules of this program's completion.
 */
export function unreadyReason(object: KubernetesObject): string {
  const status = (object['status'] ?? {}) as Counted;
  const spec = (object['spec'] ?? {}) as { readonly replicas?: number };
  const rule = groupOf(object.apiVersion) === 'apps' ? RULES[object.kind] : undefined;
  if (rule === undefined) return '';
  const generation = object.metadata.generation ?? 0;
  if ((status.observedGeneration ?? 0) < generation) return 'its controller had not yet seen its last change';
  return rule(status, spec.replicas ?? 1);
}

const RULES: Readonly<Record<string, (status: Counted, desired: number) => string>> = {
  Deployment: (status, desired) => {
    const short = shortOf(desired, status, ['updatedReplicas', 'readyReplicas', 'availableReplicas']);
    if (short !== '') return short;
    if ((status.replicas ?? 0) > desired) return `${status.replicas} pods where ${desired} were asked for`;
    return status.conditions?.some((each) => each.type === 'Available' && each.status === 'True') === true
      ? ''
      : 'it was not Available';
  },
  StatefulSet: (status, desired) => {
    const short = shortOf(desired, status, ['readyReplicas', 'availableReplicas']);
    if (short !== '') return short;
    return status.currentRevision === status.updateRevision ? '' : 'its pods were of two revisions';
  },
  DaemonSet: (status) =>
    shortOf(status.desiredNumberScheduled ?? 0, status, ['updatedNumberScheduled', 'numberReady', 'numberAvailable']),
  ReplicaSet: (status, desired) => shortOf(desired, status, ['readyReplicas', 'availableReplicas']),
};

type Count =
  | 'updatedReplicas'
  | 'readyReplicas'
  | 'availableReplicas'
  | 'updatedNumberScheduled'
  | 'numberReady'
  | 'numberAvailable';

function shortOf(desired: number, status: Counted, counts: readonly Count[]): string {
  const short = counts.find((count) => (status[count] ?? 0) < desired);
  return short === undefined ? '' : `${short} was ${status[short] ?? 0} of ${desired}`;
}
