import type { V1APIService, V1Service, V1StorageClass } from '@kubernetes/client-node';
import type { PersistentVolumeClaim, Pod, ReplicaSet, Wire } from '../kubernetes.ts';
import { creatorOf } from './deployment.ts';
import type { Counts, Progress } from './progress.ts';
import { isActive, type KindRule, withoutPods } from './rollout.ts';
import { generationOf } from './superseded.ts';

const NONE: Counts = { desired: 1, updated: 1, ready: 0, available: 0, old: 0 };
const DONE: Counts = { ...NONE, ready: 1, available: 1 };

function complete(message: string): Progress {
  return { phase: 'complete', counts: DONE, message };
}

function progressing(message: string, counts: Counts = NONE): Progress {
  return { phase: 'progressing', counts, message, deadlineExceeded: false };
}

/** A bare Pod is complete when it is ready, or has ended well if it was meant to end. */
export const followPod: KindRule = (_target, live) => {
  const pod = live as unknown as Pod;
  const ready =
    pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
  const ended = pod.status?.phase === 'Succeeded' && pod.spec?.restartPolicy !== 'Always';
  const progress = ended
    ? complete('ended with success')
    : ready
      ? complete('ready')
      : progressing(pod.status?.phase ?? 'Pending');
  return { ...withoutPods(progress), pods: [pod] };
};

/** A bare ReplicaSet is complete when it was observed and all its replicas are available. */
export const followReplicaSet: KindRule = (_target, live, view) => {
  const set = live as unknown as ReplicaSet;
  const desired = set.spec?.replicas ?? 1;
  const available = set.status?.availableReplicas ?? 0;
  const counts: Counts = {
    desired,
    updated: set.status?.replicas ?? 0,
    ready: set.status?.readyReplicas ?? 0,
    available,
    old: 0,
  };
  const done = (set.status?.observedGeneration ?? 0) >= generationOf(live) && available >= desired;
  const message = `${available} of ${desired} pods available`;
  return {
    ...withoutPods(done ? { phase: 'complete', counts, message } : progressing(message, counts)),
    pods: view.podsOf(set.metadata?.uid ?? '').filter(isActive),
    creator: creatorOf(set),
  };
};

/** A claim is complete when it is bound, or when it rightly waits for its first consumer (storage.k8s.io/v1 VolumeBindingMode). */
export const followClaim: KindRule = (_target, live, _view, look) => {
  const claim = live as unknown as PersistentVolumeClaim;
  if (claim.status?.phase === 'Bound') return withoutPods(complete('bound'));
  const name = claim.spec?.storageClassName ?? '';
  if (name === '') return withoutPods(progressing('not bound'));
  const found = look({
    kind: 'object',
    ref: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', namespace: '', name },
  });
  const mode =
    found.state === 'known' ? (found.value as unknown as Wire<V1StorageClass> | null)?.volumeBindingMode : undefined;
  return withoutPods(
    mode === 'WaitForFirstConsumer' ? complete('waits for its first consumer') : progressing('not bound'),
  );
};

/** A Service of type LoadBalancer is complete when it has an address; any other one when it was applied. */
export const followService: KindRule = (_target, live) => {
  const service = live as unknown as Wire<V1Service>;
  if (service.spec?.type !== 'LoadBalancer') return withoutPods(complete('applied'));
  const addresses = service.status?.loadBalancer?.ingress ?? [];
  return withoutPods(
    addresses.length > 0 ? complete('has an address') : progressing('waiting for the load balancer to give an address'),
  );
};

/** An APIService is complete when the API server can reach what serves it. */
export const followApiService: KindRule = (_target, live) => {
  const available = (live as unknown as Wire<V1APIService>).status?.conditions?.find(
    (each) => each.type === 'Available',
  );
  const why = available?.message === undefined ? '' : `: ${available.message}`;
  return withoutPods(available?.status === 'True' ? complete('available') : progressing(`not available${why}`));
};
