import type { Node, Pod, PodSpec } from '../kubernetes.ts';
import { formatQuantity, parseQuantity, podRequest } from '../quantity.ts';
import { nodesFor, nodesOf } from './capacity.ts';
import { type Demand, demandOf } from './demand.ts';
import { completed, defaultsIn, needOf } from './needs.ts';
import type { Check, PreflightScene } from './scene.ts';
import { type Warning, warning } from './warning.ts';
import { type Workload, workloadsOf } from './workload.ts';

const RESOURCES = ['cpu', 'memory'] as const;

/** Below this part of all that the nodes have, the list of every pod of the cluster is not worth its price. */
const WORTH_A_LOOK = 0.25;

/**
 * Workloads whose pods do not all find room beside what runs on the nodes, or whose update finds none for its first new pod. Taints and
 * affinity are left out, so there is at most as much room as is computed here. Pods of a priority may push others out: of them nothing is
 * said. Source: pkg/scheduler, NodeResourcesFit.
 */
export const room: Check = (scene) => {
  const asking = workloadsOf(scene).filter((each) => each.isMoving && each.pod.priorityClassName === undefined);
  const nodes = asking.some((each) => asksFor(each.pod).length > 0) ? nodesOf(scene) : null;
  return nodes === null ? [] : asking.flatMap((workload) => check(scene, workload, nodes));
};

function asksFor(pod: PodSpec): readonly (typeof RESOURCES)[number][] {
  return RESOURCES.filter((resource) => needOf(pod, 'requests', resource) > 0);
}

function check(scene: PreflightScene, workload: Workload, all: readonly Node[]): readonly Warning[] {
  const defaults = defaultsIn(scene, workload.namespace) ?? { requests: {}, limits: {} };
  const demand = demandOf(workload, defaults);
  if (demand === null || workload.kind === 'DaemonSet') return [];
  const pod = completed(workload.pod, defaults);
  const nodes = nodesFor(workload, all).filter((node) => node.spec?.unschedulable !== true);
  const need = asksFor(pod).map((resource) => ({ resource, each: needOf(pod, 'requests', resource) }));
  const isLarge = need.some(({ resource, each }) => each * demand.replicas > WORTH_A_LOOK * total(nodes, resource));
  const isPlaceable = nodes.some((node) => need.every(({ resource, each }) => each <= allocatable(node, resource)));
  if (!isLarge || !isPlaceable) return [];
  const placed = scene.look({ kind: 'scheduled-pods' });
  if (placed.state !== 'known') return [];
  const others = placed.value.filter((each) => !isOwn(workload, each));
  const most = fitting(nodes, others, need);
  if (most < demand.replicas) return [tooFew(demand, most, nodes.length, need)];
  const isStuck = demand.needsSurge && demand.current >= demand.replicas && fitting(nodes, placed.value, need) === 0;
  return isStuck ? [noneForSurge(demand, nodes.length, need)] : [];
}

type Need = readonly { readonly resource: string; readonly each: number }[];

function allocatable(node: Node, resource: string): number {
  return parseQuantity(node.status?.allocatable?.[resource]);
}

function total(nodes: readonly Node[], resource: string): number {
  return nodes.reduce((sum, node) => sum + allocatable(node, resource), 0);
}

/** Pods of the workload's own revisions; those of a neighbour with a longer name may be among them, which leaves more room, not less. */
function isOwn({ planned }: Workload, { metadata }: Pod): boolean {
  const { kind, name, namespace } = planned.ref;
  return (
    metadata?.namespace === namespace &&
    metadata.ownerReferences?.some(
      (owner) => owner.name === name || (kind === 'Deployment' && owner.name.startsWith(`${name}-`)),
    ) === true
  );
}

/** How many pods of this need the nodes can take beside those that are there. */
function fitting(nodes: readonly Node[], placed: readonly Pod[], need: Need): number {
  const byNode = Map.groupBy(placed, (pod) => pod.spec?.nodeName ?? '');
  return nodes.reduce((sum, node) => {
    const there = byNode.get(node.metadata?.name ?? '') ?? [];
    const fits = need.map(({ resource, each }) => {
      const used = there.reduce((all, pod) => all + podRequest(pod, resource), 0);
      return Math.max(0, Math.floor((allocatable(node, resource) - used) / each + 1e-9));
    });
    return sum + Math.min(...fits);
  }, 0);
}

function needText(need: Need): string {
  return need.map(({ resource, each }) => `${formatQuantity(resource, each)} of ${resource}`).join(' and ');
}

function nodesText(count: number): string {
  return count === 1 ? 'the one node that may take them has' : `the ${count} nodes that may take them have`;
}

function tooFew({ workload, replicas }: Demand, most: number, nodes: number, need: Need): Warning {
  return warning(
    'CapacityInsufficient',
    workload.planned,
    workload.kind === 'Job' ? ['spec', 'parallelism'] : ['spec', 'replicas'],
    `${replicas} ${replicas === 1 ? 'pod is' : 'pods are'} asked for, each with ${needText(need)}, and ${nodesText(nodes)} room for ${most} at most beside what runs there now: the rest stays pending. Ask for fewer replicas, lower the requests, or add nodes.`,
  );
}

function noneForSurge({ workload }: Demand, nodes: number, need: Need): Warning {
  return warning(
    'CapacityInsufficient',
    workload.planned,
    ['spec', 'strategy'],
    `With maxUnavailable 0 no old pod leaves before a new one is ready, and ${nodesText(nodes)} no room for one more with ${needText(need)}: the update cannot begin until something else leaves. Set maxSurge 0 with maxUnavailable 1, or add nodes.`,
  );
}
