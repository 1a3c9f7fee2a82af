import { nodesFor, nodesOf } from './capacity.ts';
import type { Check } from './scene.ts';
import { strategyOf } from './strategy.ts';
import { warning } from './warning.ts';
import { containersOf, replicasOf, type Workload, workloadsOf } from './workload.ts';

/**
 * Deployments whose pods hold a port of their node, with as many pods as nodes: a new pod finds no node whose port is free, and with
 * maxUnavailable 0 no old one leaves. Source: pkg/scheduler, NodePorts; API defaulting of hostPort under hostNetwork.
 */
export const hostPort: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => {
    const held = workload.kind === 'Deployment' && workload.isMoving ? heldPort(workload) : null;
    const nodes = held === null ? null : nodesOf(scene);
    if (held === null || nodes === null) return [];
    const eligible = nodesFor(workload, nodes).filter((node) => node.spec?.unschedulable !== true).length;
    const replicas = replicasOf(workload);
    const strategy = strategyOf(workload);
    if (eligible === 0 || replicas < eligible) return [];
    const all = `${eligible} ${eligible === 1 ? 'node' : 'nodes'}`;
    const start = `Each pod holds port ${held.port} of its node, so that a node takes one of them, and ${replicas} ${replicas === 1 ? 'pod is' : 'pods are'} asked for on ${all}`;
    if (replicas > eligible)
      return [
        warning(
          'PlacementImpossible',
          workload.planned,
          held.path,
          `${start}: ${replicas - eligible} cannot be placed. Ask for at most ${eligible}, or do without ${held.field}.`,
        ),
      ];
    if (strategy.type !== 'RollingUpdate' || strategy.unavailable > 0) return [];
    return [
      warning(
        'PlacementImpossible',
        workload.planned,
        held.path,
        `${start}: with maxUnavailable ${strategy.written.unavailable}, which is 0 pods, an update cannot place its first new pod. Set maxSurge 0 with maxUnavailable 1, or do without ${held.field}.`,
      ),
    ];
  });

function heldPort(workload: Workload) {
  const byNetwork = workload.pod.hostNetwork === true;
  for (const { container, path, runsOn } of containersOf(workload)) {
    const index = (container.ports ?? []).findIndex((port) => byNetwork || (port.hostPort ?? 0) > 0);
    const port = container.ports?.[index];
    if (!runsOn || port === undefined) continue;
    return {
      port: port.hostPort ?? port.containerPort,
      path: [...path, 'ports', index, byNetwork ? 'containerPort' : 'hostPort'],
      field: byNetwork ? 'hostNetwork' : 'hostPort',
    };
  }
  return null;
}
