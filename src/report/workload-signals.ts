import type { Deployment, ReplicaSet } from '../kubernetes.ts';
import { generationOf } from '../rollout/superseded.ts';
import type { Scene } from '../stall/scene.ts';
import type { Signal } from './signal.ts';

type Draft = Omit<Signal, 'group'>;

export function generation(scene: Scene): Draft {
  const live = scene.view.object(scene.target.ref);
  const observed = (live?.['status'] as { observedGeneration?: number } | undefined)?.observedGeneration ?? 0;
  const wanted = live === null ? 0 : generationOf(live);
  return {
    name: 'generation observed by the controller',
    value: `generation ${wanted}, observed ${observed}`,
    judgement: observed >= wanted ? 'fine' : 'suspicious',
    next: observed >= wanted ? '' : 'kube-controller-manager',
  };
}

export function conditions(scene: Scene): readonly Draft[] {
  const live = scene.view.object(scene.target.ref) as unknown as Deployment | null;
  return (live?.status?.conditions ?? []).map((condition) => {
    const bad = condition.type === 'ReplicaFailure' ? condition.status === 'True' : condition.status !== 'True';
    return {
      name: `condition ${condition.type}`,
      value: `${condition.status}${condition.reason === undefined ? '' : ` (${condition.reason})`}${condition.message === undefined ? '' : `: ${condition.message}`}`,
      judgement: bad ? ('suspicious' as const) : ('fine' as const),
      next: bad
        ? `kubectl describe ${scene.target.ref.kind.toLowerCase()} ${scene.target.ref.name} -n ${scene.target.ref.namespace}`
        : '',
    };
  });
}

export function replicaSets(scene: Scene): readonly Draft[] {
  const { counts } = scene.rollout.progress;
  const total: Draft = {
    name: 'pods',
    value: `${counts.desired} desired, ${counts.updated} updated, ${counts.ready} ready, ${counts.available} available, ${Math.max(0, counts.desired - counts.available)} unavailable, ${counts.old} of old revisions`,
    judgement: counts.ready >= counts.desired ? 'fine' : 'suspicious',
    next: '',
  };
  if (scene.target.ref.kind !== 'Deployment') return [total];
  const uid = scene.target.desired.metadata.uid;
  const sets = scene.view
    .replicaSets(scene.target.ref.namespace)
    .filter((set) => set.metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true)
    .filter((set) => set.metadata?.name === scene.rollout.revision || (set.status?.replicas ?? 0) > 0);
  return [total, ...sets.map((set) => replicaSet(set, set.metadata?.name === scene.rollout.revision))];
}

function replicaSet(set: ReplicaSet, ours: boolean): Draft {
  const wanted = set.spec?.replicas ?? 0;
  const ready = set.status?.readyReplicas ?? 0;
  return {
    name: `${ours ? 'new' : 'old'} ReplicaSet ${set.metadata?.name ?? ''}`,
    value: `${wanted} desired, ${set.status?.replicas ?? 0} created, ${ready} ready, ${set.status?.availableReplicas ?? 0} available`,
    judgement: ready >= wanted ? 'fine' : 'suspicious',
    next:
      ready >= wanted
        ? ''
        : `kubectl describe replicaset ${set.metadata?.name ?? ''} -n ${set.metadata?.namespace ?? ''}`,
  };
}

export function podPhases(scene: Scene): Draft {
  const states = Map.groupBy(scene.rollout.pods, (pod) => {
    const ready = pod.status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
    const unscheduled = pod.status?.conditions?.find((each) => each.type === 'PodScheduled' && each.status === 'False');
    const waiting = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find(
      (each) => each.state?.waiting !== undefined,
    );
    const why = unscheduled?.reason ?? waiting?.state?.waiting?.reason;
    return ready
      ? 'Running and ready'
      : `${pod.status?.phase ?? 'Pending'}, not ready${why === undefined ? '' : ` (${why})`}`;
  });
  const value = [...states]
    .map(([state, pods]) => `${pods.length} ${state}`)
    .sort()
    .join('; ');
  const allReady = [...states.keys()].every((state) => state === 'Running and ready');
  return {
    name: 'pods of our revision by phase and reason',
    value: value === '' ? 'none' : value,
    judgement: value !== '' && allReady ? 'fine' : 'suspicious',
    next: allReady ? '' : `kubectl get pods -n ${scene.target.ref.namespace}`,
  };
}
