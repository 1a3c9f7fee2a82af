import type { Node } from '../kubernetes.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import { AUTOSCALER_STATUS, autoscalerTraces } from '../stall/autoscaler.ts';
import { needOf } from './needs.ts';
import type { Check, PreflightScene } from './scene.ts';
import { type Warning, warning } from './warning.ts';
import { containersOf, type Workload, workloadsOf } from './workload.ts';

/**
 * Pods that ask for more than any node has to give (`status.allocatable`), where nothing is known that adds nodes. Extended resources,
 * which have a domain in their name, come and go with device plugins: of them nothing is said. Source: pkg/scheduler, NodeResourcesFit.
 */
export const capacity: Check = (scene) => {
  const asking = workloadsOf(scene).filter((workload) => workload.isMoving && resourcesOf(workload).length > 0);
  if (asking.length === 0) return [];
  const nodes = nodesOf(scene);
  if (nodes === null) return [];
  return asking.flatMap((workload) => resourcesOf(workload).flatMap((resource) => check(workload, resource, nodes)));
};

/** The nodes of a cluster to which nothing adds any; null if that cannot be known, or if there are none. */
export function nodesOf(scene: PreflightScene): readonly Node[] | null {
  const nodes = scene.look({ kind: 'nodes' });
  const status = scene.look(AUTOSCALER_STATUS);
  if (nodes.state !== 'known' || status.state !== 'known' || nodes.value.length === 0) return null;
  return autoscalerTraces(scene.look).state === 'none' ? nodes.value : null;
}

/** Nodes that the pod's nodeSelector lets it onto. */
export function nodesFor(workload: Workload, nodes: readonly Node[]): readonly Node[] {
  const selector = Object.entries(workload.pod.nodeSelector ?? {});
  return nodes.filter((node) => selector.every(([key, value]) => node.metadata?.labels?.[key] === value));
}

function resourcesOf({ pod }: Workload): readonly string[] {
  const all = [...(pod.initContainers ?? []), ...(pod.containers ?? []), pod].flatMap(({ resources }) => [
    ...Object.keys(resources?.requests ?? {}),
    ...Object.keys(resources?.limits ?? {}),
  ]);
  return [...new Set(all)].filter((resource) => !resource.includes('/')).sort();
}

function check(workload: Workload, resource: string, nodes: readonly Node[]): readonly Warning[] {
  const request = needOf(workload.pod, 'requests', resource);
  const eligible = nodesFor(workload, nodes);
  const allocatable = (node: Node) => parseQuantity(node.status?.allocatable?.[resource]);
  const largest = eligible.reduce<Node | null>((a, b) => (a === null || allocatable(b) > allocatable(a) ? b : a), null);
  if (largest === null || !(request > allocatable(largest))) return [];
  const show = (value: number) => formatQuantity(resource, value);
  const allowed = Object.keys(workload.pod.nodeSelector ?? {}).length === 0 ? '' : ' that its nodeSelector allows';
  const name = `${largest.metadata?.name ?? ''}, ${show(allocatable(largest))}`;
  const than =
    eligible.length === 1
      ? `the one node${allowed} has to give (${name})`
      : `any of the ${eligible.length} nodes${allowed} has to give (the largest, ${name})`;
  return [
    warning(
      'CapacityInsufficient',
      workload.planned,
      largestRequest(workload, resource),
      `Each pod requests ${show(request)} of ${resource}, more than ${than}: no pod will be placed. Request at most ${show(allocatable(largest))}, or add a larger node.`,
    ),
  ];
}

/** Where the pod asks for the most of the resource. */
function largestRequest(workload: Workload, resource: string): readonly (string | number)[] {
  const asks = containersOf(workload).map(({ container, path }) => {
    const field = container.resources?.requests?.[resource] === undefined ? 'limits' : 'requests';
    return {
      path: [...path, 'resources', field, resource],
      value: parseQuantity(container.resources?.[field]?.[resource]),
    };
  });
  if (workload.pod.resources?.requests?.[resource] !== undefined)
    return [...workload.podPath, 'resources', 'requests', resource];
  return asks.reduce((a, b) => (b.value > a.value ? b : a), { path: [...workload.podPath], value: -1 }).path;
}
