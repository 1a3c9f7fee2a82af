import { nodesFor, nodesOf } from './capacity.ts';
import type { Check } from './scene.ts';
import { warning } from './warning.ts';
import { workloadsOf } from './workload.ts';

/** Pods whose nodeSelector no node satisfies, where nothing is known that adds nodes. Source: pkg/scheduler, NodeAffinity. */
export const nodeSelector: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => {
    const selector = Object.entries(workload.pod.nodeSelector ?? {});
    // A DaemonSet that no node wants is complete with no pod.
    if (selector.length === 0 || !workload.isMoving || workload.kind === 'DaemonSet') return [];
    const nodes = nodesOf(scene);
    if (nodes === null || nodesFor(workload, nodes).length > 0) return [];
    const alone = selector.find(([key, value]) => nodes.every((node) => node.metadata?.labels?.[key] !== value));
    const [key, value] = alone ?? selector[0] ?? ['', ''];
    const present = [...new Set(nodes.flatMap((node) => node.metadata?.labels?.[key] ?? []))].sort();
    const has =
      alone === undefined
        ? 'none of them has all the labels'
        : present.length === 0
          ? `none of them has the label ${key}`
          : `they have ${key}=${present.slice(0, 5).join(', ')}`;
    return [
      warning(
        'PlacementImpossible',
        workload.planned,
        [...workload.podPath, 'nodeSelector', key],
        `The nodeSelector ${selector.map(([each, wanted]) => `${each}=${wanted}`).join(',')} fits none of the ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} (${has}): no pod will be placed. Correct ${key}=${value}, or label a node.`,
      ),
    ];
  });
