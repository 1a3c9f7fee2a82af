import type { FieldPath, Pod, PodSpec } from '../kubernetes.ts';
import { formatQuantity } from '../quantity.ts';
import { timeOf } from '../rollout/time.ts';
import { type Autoscaler, autoscalerFor } from './autoscaler.ts';
import { type Capacity, capacityFor } from './capacity.ts';
import { DEPTH } from './depth.ts';
import type { Evidence, RawFinding, Ripeness } from './finding.ts';
import { placementRule, surgeHint, unmatchedLabels } from './placement-rule.ts';
import { after, atSight, NEVER } from './ripeness.ts';
import { type Family, fieldAt, podSince, podSpecPath, type Scene } from './scene.ts';
import {
  insufficientResource,
  isAboutVolumes,
  parseSchedulerMessage,
  type SchedulerMessage,
} from './scheduler-message.ts';
import { spanOf } from './span.ts';

const NO_ROOM_SECONDS = 60;
/** An autoscaler that refuses may still find another group of nodes in one of its next cycles. */
const REFUSALS = 3;

/** Pods that no node takes: no room (CapacityInsufficient), no match (PlacementImpossible), or not to be placed yet (PodGated). */
export const scheduling: Family = (scene) => {
  // Pods of which the scheduler says the same are one question: the oldest one asks it for all.
  const alike = Map.groupBy(
    scene.rollout.pods.filter(isUnplaced),
    (pod) => `${placement(pod)?.reason} ${placement(pod)?.message}`,
  );
  return [...alike.values()].flatMap((pods) => {
    const oldest = [...pods].sort((a, b) => podSince(scene, a) - podSince(scene, b))[0];
    const finding = oldest === undefined ? null : judge(oldest, scene);
    return finding === null ? [] : [{ ...finding, pods: pods.map((pod) => pod.metadata?.name ?? '') }];
  });
};

function placement(pod: Pod) {
  return pod.status?.conditions?.find((each) => each.type === 'PodScheduled');
}

function isUnplaced(pod: Pod): boolean {
  return placement(pod)?.status === 'False';
}

function judge(pod: Pod, scene: Scene): RawFinding | null {
  const condition = placement(pod);
  if (condition === undefined) return null;
  if (condition.reason === 'SchedulingGated') return gated(pod, scene);
  if (condition.reason !== 'Unschedulable') return null;
  const message = parseSchedulerMessage(condition.message ?? '');
  if (message.reasons.some((reason) => isAboutVolumes(reason.text))) return null;
  const since = timeOf(condition.lastTransitionTime) ?? podSince(scene, pod);
  const resource = insufficientResource(message);
  return resource === null ? noPlace(pod, message, since, scene) : noRoom(pod, resource, message, since, scene);
}

function noRoom(pod: Pod, resource: string, message: SchedulerMessage, since: number, scene: Scene): RawFinding {
  const capacity = capacityFor(pod, resource, scene);
  const autoscaler = autoscalerFor(pod, scene);
  const tooLarge = isTooLarge(resource, capacity);
  const ripeness = roomRipeness(tooLarge, capacity, pod, autoscaler, since, scene);
  return {
    ...base(pod),
    code: 'CapacityInsufficient',
    certainty: ripeness.kind === 'never' ? 'waiting' : tooLarge ? 'certain' : 'probable',
    summary: roomSummary(resource, capacity, message),
    evidence: [...schedulerEvidence(message), ...arithmetic(resource, capacity), ...autoscalerEvidence(autoscaler)],
    remedy: { text: roomRemedy(resource, capacity, scene), path: requestPath(resource, scene), value: null },
    falsifier: 'A node with room joins, or another pod leaves.',
    ripeness,
  };
}

function isTooLarge(resource: string, capacity: Capacity | null): capacity is Capacity {
  return capacity !== null && isFixed(resource) && capacity.request > capacity.largest.allocatable;
}

/** What comes with a device plugin, and no node has. */
function isOffered(resource: string, capacity: Capacity | null): boolean {
  return isFixed(resource) || capacity === null || capacity.largest.allocatable > 0;
}

function roomSummary(resource: string, capacity: Capacity | null, message: SchedulerMessage): string {
  const request = capacity === null ? '' : ` ${formatQuantity(resource, capacity.request)}`;
  if (isTooLarge(resource, capacity)) {
    const { node, allocatable } = capacity.largest;
    return `Each pod requests${request} ${resource}, more than any node has: the largest, ${node}, has ${formatQuantity(resource, allocatable)}`;
  }
  if (!isOffered(resource, capacity))
    return `No node offers ${resource}, of which each pod requests${request}: ${reasonsOf(message)}`;
  return `No node has room for another pod, which requests${request} ${resource}: ${reasonsOf(message)}`;
}

function roomRemedy(resource: string, capacity: Capacity | null, scene: Scene): string {
  if (isTooLarge(resource, capacity))
    return `Lower resources.requests.${resource}, or add a node that is large enough.`;
  if (!isOffered(resource, capacity))
    return `Add nodes that offer ${resource} (their device plugin announces it), or take the request away.`;
  return `Add nodes, lower resources.requests.${resource}, or ask for fewer replicas; more replicas cannot help.${surgeHint(scene)}`;
}

/** What a node has of these does not change; a device plugin may still bring what has a domain in its name (`nvidia.com/gpu`). */
function isFixed(resource: string): boolean {
  return !resource.includes('/');
}

function roomRipeness(
  tooLarge: boolean,
  capacity: Capacity | null,
  pod: Pod,
  autoscaler: Autoscaler,
  since: number,
  scene: Scene,
): Ripeness {
  if (autoscaler.state === 'refusing') return after(autoscaler.since, NO_ROOM_SECONDS, autoscaler.count, REFUSALS);
  if (autoscaler.state !== 'none') return NEVER;
  if (tooLarge) return atSight(scene.now);
  const leaving = capacity !== null && capacity.leaving.length > 0;
  if (leaving || pod.status?.nominatedNodeName !== undefined) return NEVER;
  return after(since, spanOf(scene, NO_ROOM_SECONDS));
}

function noPlace(pod: Pod, message: SchedulerMessage, since: number, scene: Scene): RawFinding {
  const autoscaler = autoscalerFor(pod, scene);
  const ripeness =
    autoscaler.state === 'refusing'
      ? after(autoscaler.since, NO_ROOM_SECONDS, autoscaler.count, REFUSALS)
      : autoscaler.state === 'none'
        ? after(since, spanOf(scene, NO_ROOM_SECONDS))
        : NEVER;
  const rule = placementRule(message, scene);
  return {
    ...base(pod),
    code: 'PlacementImpossible',
    certainty: ripeness.kind === 'never' ? 'waiting' : 'probable',
    summary: `No node may take the pod: ${reasonsOf(message)}`,
    evidence: [...schedulerEvidence(message), ...unmatchedLabels(pod, scene), ...autoscalerEvidence(autoscaler)],
    remedy: { text: rule.text, path: rule.path, value: null },
    falsifier: 'A node that fits joins, is labelled, or is freed.',
    ripeness,
  };
}

function gated(pod: Pod, scene: Scene): RawFinding {
  const gates = (pod.spec?.schedulingGates ?? []).map((gate) => gate.name).join(', ');
  return {
    ...base(pod),
    code: 'PodGated',
    certainty: 'waiting',
    summary: `The pod is held back from scheduling by the gate ${gates}`,
    evidence: [{ what: 'schedulingGates', value: gates }],
    remedy: {
      text: `See why the controller that owns the gate ${gates} does not lift it.`,
      path: [...podSpecPath(scene.target.ref.kind), 'schedulingGates'],
      value: null,
    },
    falsifier: 'The gate is lifted.',
    ripeness: NEVER,
  };
}

function base(pod: Pod) {
  return { scope: 'cluster' as const, container: null, depth: DEPTH.scheduling, pods: [pod.metadata?.name ?? ''] };
}

function reasonsOf(message: SchedulerMessage): string {
  const reasons = message.reasons.map(({ nodes, text }) => `${nodes === 0 ? '' : `${nodes} `}${text}`).join(', ');
  if (message.total === 0) return reasons;
  const fitting = message.fit === 0 ? 'none' : String(message.fit);
  const nodes = message.total === 1 ? 'node' : 'nodes';
  return `${fitting} of ${message.total} ${nodes} ${message.fit > 1 ? 'fit' : 'fits'} (${reasons})`;
}

function schedulerEvidence(message: SchedulerMessage): readonly Evidence[] {
  return [{ what: 'the scheduler says', value: reasonsOf(message) }];
}

function arithmetic(resource: string, capacity: Capacity | null): readonly Evidence[] {
  if (capacity === null)
    return [
      {
        what: `room for ${resource}`,
        value: 'not allowed to look: the right to list nodes is missing, or the read is under way',
      },
    ];
  const show = (value: number) => formatQuantity(resource, value);
  return [
    { what: `${resource} requested by a pod`, value: show(capacity.request) },
    {
      what: `largest of ${capacity.nodes} nodes`,
      value: `${capacity.largest.node}: ${show(capacity.largest.allocatable)} allocatable`,
    },
    {
      what: 'most room',
      value: `${capacity.freest.node}: ${show(capacity.freest.free)} free of ${show(capacity.freest.allocatable)}`,
    },
    ...(capacity.leaving.length === 0
      ? []
      : [{ what: 'pods on their way out', value: capacity.leaving.slice(0, 5).join(', ') }]),
  ];
}

function autoscalerEvidence(autoscaler: Autoscaler): readonly Evidence[] {
  if (autoscaler.state === 'none') return [{ what: 'autoscaler', value: 'none known' }];
  if (autoscaler.state === 'unread') return [];
  return [{ what: 'autoscaler', value: `${autoscaler.state}: ${autoscaler.message}` }];
}

/** The first container that asks for the resource. */
function requestPath(resource: string, scene: Scene): FieldPath | null {
  const path = podSpecPath(scene.target.ref.kind);
  const spec = fieldAt(scene.target.desired, path) as PodSpec | undefined;
  // A request that is not written is that of the limit.
  for (const kind of ['requests', 'limits'] as const) {
    const index = spec?.containers.findIndex(({ resources }) => resources?.[kind]?.[resource] !== undefined) ?? -1;
    if (index >= 0) return [...path, 'containers', index, 'resources', kind, resource];
  }
  return null;
}
