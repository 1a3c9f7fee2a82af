import type { DaemonSet, Node, Pod } from '../kubernetes.ts';
import { isActive, type Look } from './rollout.ts';
import { REVISION_LABEL } from './stateful-set.ts';

/** What nodes that are not ready or cordoned mean for a DaemonSet. */
export interface Excuse {
  /** Nodes that are out and hold a pod which is not done. */
  readonly names: readonly string[];
  /** How many of them the controller counts among those that should have a pod. */
  readonly counted: number;
  /** Pods on good nodes that are not done. */
  readonly waiting: number;
}

/** null where no node is out, or the nodes may not be read. @param hash the revision that is ours */
export function excusedNodes(set: DaemonSet, owned: readonly Pod[], hash: string | null, look: Look): Excuse | null {
  const nodes = look({ kind: 'nodes' });
  if (nodes.state !== 'known') return null;
  const out = new Set(nodes.value.filter(isOut).map((node) => node.metadata?.name ?? ''));
  const notDone = owned.filter((pod) => !isDone(pod, hash));
  const names = [...new Set(notDone.map(nodeOf).filter((node) => out.has(node)))].sort();
  if (names.length === 0) return null;
  const good = nodes.value.filter((node) => !isOut(node) && takes(node, set)).length;
  const surplus = Math.max(0, (set.status?.desiredNumberScheduled ?? 0) - good);
  return {
    names,
    counted: Math.min(names.length, surplus),
    waiting: notDone.filter((pod) => !out.has(nodeOf(pod))).length,
  };
}

/**
 * Whether the set wants a pod on a node, by its selector and taints. Affinity is not looked at: at worst a good node is taken to want a pod, and
 * nothing is excused for it. Source: daemon controller, NodeShouldRunDaemonPod.
 */
function takes(node: Node, set: DaemonSet): boolean {
  const spec = set.spec?.template.spec;
  const labels = node.metadata?.labels ?? {};
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const taints = (node.spec?.taints ?? []).filter((taint) => taint.effect !== 'PreferNoSchedule');
  return taints.every((taint) => {
    if (taint.key.startsWith('node.kubernetes.io/')) return true;
    return (spec?.tolerations ?? []).some(
      ({ key, operator, value, effect }) =>
        (key === undefined || key === '' || key === taint.key) &&
        (operator === 'Exists' || (value ?? '') === (taint.value ?? '')) &&
        (effect === undefined || effect === '' || effect === taint.effect),
    );
  });
}

/** A pod of our revision that is ready, on whichever node. */
export function isDone(pod: Pod, hash: string | null): boolean {
  const ready =
    pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
  return ready && isActive(pod) && pod.metadata?.labels?.[REVISION_LABEL] === hash;
}

/** A daemon pod is bound to its node by affinity before the scheduler has set its nodeName. */
function nodeOf(pod: Pod): string {
  const terms =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const bound = terms.flatMap((term) => term.matchFields ?? []).find((field) => field.key === 'metadata.name');
  return pod.spec?.nodeName ?? bound?.values?.[0] ?? '';
}

/** Not ready, or cordoned. */
export function isOut(node: Node): boolean {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
  return ready?.status !== 'True' || node.spec?.unschedulable === true;
}
