import type { Node } from '../kubernetes.ts';
import { formatQuantity } from '../quantity.ts';
import { eventTimes } from '../rollout/time.ts';
import type { Known } from '../rollout/view.ts';
import { autoscalerFor } from '../stall/autoscaler.ts';
import { capacityFor } from '../stall/capacity.ts';
import type { Finding } from '../stall/finding.ts';
import type { Scene } from '../stall/scene.ts';
import type { Signal } from './signal.ts';
import { conditions, generation, podPhases, replicaSets } from './workload-signals.ts';

type Draft = Omit<Signal, 'group'>;

/** What the cluster shows of a workload that is not there yet, in the order in which a person would ask. */
export function clusterSignals(scene: Scene, findings: readonly Finding[]): readonly Signal[] {
  const codes = new Set(findings.map((finding) => finding.code));
  const drafts: readonly (Draft | null)[] = [
    generation(scene),
    ...conditions(scene),
    ...replicaSets(scene),
    podPhases(scene),
    scheduling(scene),
    quotas(scene, codes.has('QuotaExceeded')),
    limitRanges(scene),
    imagePulls(scene),
    volumes(scene),
    nodes(scene),
    autoscaler(scene),
    podAutoscalers(scene),
    disruptionBudgets(scene),
    warnings(scene),
  ];
  return drafts.filter((draft) => draft !== null).map((draft) => ({ group: 'cluster', ...draft }));
}

function scheduling(scene: Scene): Draft {
  const pending = scene.rollout.pods.find((pod) =>
    pod.status?.conditions?.some((each) => each.type === 'PodScheduled' && each.status === 'False'),
  );
  const pod = pending ?? scene.rollout.pods[0];
  const name = "requests against the nodes' allocatable";
  if (pod === undefined) return { name, value: 'no pod was created', judgement: 'unknown', next: '' };
  const parts = ['cpu', 'memory'].map((resource) => {
    const capacity = capacityFor(pod, resource, scene);
    if (capacity === null) return null;
    const show = (value: number) => formatQuantity(resource, value);
    return `${resource}: a pod requests ${show(capacity.request)}, most room on ${capacity.freest.node}: ${show(capacity.freest.free)} free of ${show(capacity.freest.allocatable)}`;
  });
  const known = parts.filter((part) => part !== null);
  if (known.length === 0) return { name, ...notSeen(scene.look({ kind: 'nodes' })) };
  return {
    name,
    value: known.join('; '),
    judgement: pending === undefined ? 'fine' : 'decisive',
    next: pending === undefined ? '' : 'kubectl describe nodes',
  };
}

function quotas(scene: Scene, decisive: boolean): Draft {
  const found = scene.look({ kind: 'quotas', namespace: scene.target.ref.namespace });
  const name = 'resource quotas (used of hard)';
  if (found.state !== 'known') return { name, ...notSeen(found) };
  const lines = found.value.flatMap((quota) =>
    Object.entries(quota.status?.hard ?? {}).map(
      ([resource, hard]) =>
        `${quota.metadata?.name ?? ''}: ${resource} ${quota.status?.used?.[resource] ?? '0'} of ${hard}`,
    ),
  );
  const judgement = lines.length === 0 || !decisive ? 'fine' : 'decisive';
  return {
    name,
    value: lines.join('; ') || 'none',
    judgement,
    next: decisive ? `kubectl describe quota -n ${scene.target.ref.namespace}` : '',
  };
}

function limitRanges(scene: Scene): Draft {
  const found = scene.look({ kind: 'limit-ranges', namespace: scene.target.ref.namespace });
  const name = 'limit ranges';
  if (found.state !== 'known') return { name, ...notSeen(found) };
  const lines = found.value.flatMap((range) =>
    (range.spec?.limits ?? []).map(
      (limit) =>
        `${range.metadata?.name ?? ''}: ${limit.type}${limit.max === undefined ? '' : ` at most ${JSON.stringify(limit.max)}`}`,
    ),
  );
  return { name, value: lines.join('; ') || 'none', judgement: 'fine', next: '' };
}

function imagePulls(scene: Scene): Draft {
  const failing = scene.containers.filter((container) =>
    /Image|Pull/.test(container.status?.state?.waiting?.reason ?? ''),
  );
  const value =
    failing.length === 0
      ? 'no failing pull'
      : `${failing.length} failing: ${[...new Set(failing.map((each) => each.spec.image))].join(', ')}`;
  return {
    name: 'image pulls',
    value,
    judgement: failing.length === 0 ? 'fine' : 'decisive',
    next: failing.length === 0 ? '' : `kubectl describe pod ${failing[0]?.podName ?? ''}`,
  };
}

function volumes(scene: Scene): Draft {
  const failed = scene.rollout.pods.flatMap((pod) =>
    scene.view
      .events(pod.metadata?.uid ?? '')
      .filter((event) => /FailedMount|FailedAttachVolume/.test(event.reason ?? '')),
  );
  const last = failed.at(-1);
  const started = scene.containers.every(
    (container) =>
      container.status?.state?.running !== undefined || container.status?.lastState?.terminated !== undefined,
  );
  if (last === undefined) return { name: 'volumes', value: 'no failing mount', judgement: 'fine', next: '' };
  return {
    name: 'volumes',
    value: last.message ?? '',
    judgement: started ? 'fine' : 'suspicious',
    next: `kubectl get pvc -n ${scene.target.ref.namespace}`,
  };
}

function nodes(scene: Scene): Draft {
  const found = scene.look({ kind: 'nodes' });
  if (found.state !== 'known') return { name: 'nodes', ...notSeen(found) };
  const ready = found.value.filter((node) => isTrue(node, 'Ready'));
  const pressed = found.value.filter((node) =>
    ['MemoryPressure', 'DiskPressure', 'PIDPressure'].some((type) => isTrue(node, type)),
  );
  const cordoned = found.value.filter((node) => node.spec?.unschedulable === true);
  const value = `${ready.length} of ${found.value.length} ready, ${pressed.length} under pressure, ${cordoned.length} cordoned`;
  const well = ready.length === found.value.length && pressed.length === 0;
  return { name: 'nodes', value, judgement: well ? 'fine' : 'suspicious', next: well ? '' : 'kubectl get nodes' };
}

function isTrue(node: Node, type: string): boolean {
  return node.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}

function autoscaler(scene: Scene): Draft {
  const pod = scene.rollout.pods[0];
  const name = 'cluster autoscaler';
  if (pod === undefined) return { name, value: 'no pod to ask it about', judgement: 'unknown', next: '' };
  const found = autoscalerFor(pod, scene);
  if (found.state === 'none')
    return { name, value: 'none known: no event of one, no status of one', judgement: 'fine', next: '' };
  if (found.state === 'unread') return { name, value: 'not allowed to look', judgement: 'unknown', next: '' };
  return {
    name,
    value: `${found.state}: ${found.message}`,
    judgement: found.state === 'refusing' ? 'suspicious' : 'fine',
    next: '',
  };
}

function podAutoscalers(scene: Scene): Draft {
  const found = scene.look({ kind: 'pod-autoscalers', namespace: scene.target.ref.namespace });
  const name = 'autoscaler of pods (HPA)';
  if (found.state !== 'known') return { name, ...notSeen(found) };
  const ours = found.value.filter(
    (each) =>
      each.spec?.scaleTargetRef.kind === scene.target.ref.kind &&
      each.spec.scaleTargetRef.name === scene.target.ref.name,
  );
  const value = ours.map(
    (each) =>
      `${each.metadata?.name ?? ''}: ${each.status?.desiredReplicas ?? '?'} desired, ${each.spec?.minReplicas ?? 1} to ${each.spec?.maxReplicas ?? '?'}`,
  );
  return { name, value: value.join('; ') || 'none for this workload', judgement: 'fine', next: '' };
}

function disruptionBudgets(scene: Scene): Draft {
  const found = scene.look({ kind: 'disruption-budgets', namespace: scene.target.ref.namespace });
  const name = 'disruption budget (PDB)';
  if (found.state !== 'known') return { name, ...notSeen(found) };
  const labels = scene.rollout.pods[0]?.metadata?.labels ?? {};
  const ours = found.value.filter((each) => {
    const wanted = Object.entries(each.spec?.selector?.matchLabels ?? {});
    return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
  });
  const value = ours.map(
    (each) => `${each.metadata?.name ?? ''}: ${each.status?.disruptionsAllowed ?? 0} disruptions allowed`,
  );
  return { name, value: value.join('; ') || 'none for these pods', judgement: 'fine', next: '' };
}

function warnings(scene: Scene): Draft {
  const uids = [
    ...scene.rollout.pods.map((pod) => pod.metadata?.uid ?? ''),
    scene.rollout.creator?.uid ?? '',
    scene.target.desired.metadata.uid ?? '',
  ];
  const events = uids.flatMap((uid) => scene.view.events(uid)).filter((event) => event.type === 'Warning');
  const forbidden = scene.view.forbidden.find((right) => right.includes('events'));
  const name = 'recent warning events';
  if (events.length === 0 && forbidden !== undefined)
    return { name, value: `not allowed to look: the right to ${forbidden} is missing`, judgement: 'unknown', next: '' };
  const byReason = Map.groupBy(events, (event) => event.reason ?? '');
  const value = [...byReason]
    .map(([reason, all]) => `${reason} ×${all.reduce((sum, event) => sum + eventTimes(event).count, 0)}`)
    .sort()
    .join(', ');
  return {
    name,
    value: value || 'none',
    judgement: events.length === 0 ? 'fine' : 'suspicious',
    next: events.length === 0 ? '' : `kubectl get events -n ${scene.target.ref.namespace}`,
  };
}

function notSeen(known: Known<unknown>): Pick<Draft, 'value' | 'judgement' | 'next'> {
  if (known.state === 'forbidden')
    return { value: `not allowed to look: the right to ${known.right} is missing`, judgement: 'unknown', next: '' };
  const why = known.state === 'failed' ? `: ${known.reason}` : '';
  return { value: `could not be read${why}`, judgement: 'unknown', next: '' };
}
