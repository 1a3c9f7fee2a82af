import type { Node, Pod } from '../kubernetes.ts';
import { parseQuantity, podRequest } from '../quantity.ts';
import type { Scene } from './scene.ts';

/** What one node can hold, and holds, of a resource. */
export interface NodeRoom {
  readonly node: string;
  readonly allocatable: number;
  readonly free: number;
}

/** The arithmetic of one resource over all nodes that take pods; null where the reads are missing or not allowed. */
export interface Capacity {
  readonly request: number;
  readonly largest: NodeRoom;
  readonly freest: NodeRoom;
  readonly nodes: number;
  /** Pods on their way out, which will make room. */
  readonly leaving: readonly string[];
}

export function capacityFor(pod: Pod, resource: string, scene: Scene): Capacity | null {
  const nodes = scene.look({ kind: 'nodes' });
  const pods = scene.look({ kind: 'scheduled-pods' });
  if (nodes.state !== 'known') return null;
  const placed = pods.state === 'known' ? pods.value : [];
  const used = Map.groupBy(placed, (each) => each.spec?.nodeName ?? '');
  const rooms = nodes.value
    .filter((node) => node.spec?.unschedulable !== true)
    .map((node) => roomOf(node, resource, used.get(node.metadata?.name ?? '') ?? []));
  const largest = maxBy(rooms, (room) => room.allocatable);
  const freest = maxBy(rooms, (room) => room.free);
  if (largest === null || freest === null) return null;
  const leaving = placed.filter(
    (each) => each.metadata?.deletionTimestamp !== undefined && podRequest(each, resource) > 0,
  );
  return {
    request: podRequest(pod, resource),
    largest,
    freest,
    nodes: rooms.length,
    leaving: leaving.map((each) => `${each.metadata?.namespace ?? ''}/${each.metadata?.name ?? ''}`),
  };
}

function roomOf(node: Node, resource: string, placed: readonly Pod[]): NodeRoom {
  const allocatable = parseQuantity(node.status?.allocatable?.[resource]);
  const used = placed.reduce((sum, pod) => sum + podRequest(pod, resource), 0);
  return { node: node.metadata?.name ?? '', allocatable, free: allocatable - used };
}

function maxBy<T>(items: readonly T[], of: (item: T) => number): T | null {
  return items.reduce<T | null>((best, item) => (best === null || of(item) > of(best) ? item : best), null);
}
