import type { DaemonSet, Node, Pod } from '../kubernetes.ts';
import type { Counts, Progress } from './progress.ts';
import { daemonSetRevision } from './revision.ts';
import { isActive, type KindRule, type Look } from './rollout.ts';
import { REVISION_LABEL } from './stateful-set.ts';
import { generationOf, supersededBy } from './superseded.ts';

/**
 * A DaemonSet is complete when each node that it wants a pod on has an available one of our revision. Nodes that are not ready or
 * cordoned are excused and named: a dead node would hold every rollout for ever (kubernetes#139226).
 */
export const followDaemonSet: KindRule = (target, live, view, look) => {
  const set = live as unknown as DaemonSet;
  const uid = set.metadata?.uid ?? '';
  const hash = daemonSetRevision(set, view.controllerRevisions(target.ref.namespace));
  const owned = view.podsOf(uid);
  const ours = owned.filter((pod) => hash !== null && pod.metadata?.labels?.[REVISION_LABEL] === hash && isActive(pod));
  const observed = (set.status?.observedGeneration ?? 0) >= Math.max(generationOf(live), generationOf(target.desired));
  const counts = countsOf(set, observed);
  const superseded = supersededBy(target, live, (each) => (each['spec'] as DaemonSet['spec'])?.template);
  return {
    progress:
      superseded !== null
        ? { phase: 'superseded', counts, message: superseded.detail, superseded }
        : progressOf(set, owned, hash, counts, observed, look),
    revision: hash,
    pods: observed ? ours : [],
    otherPods: owned.filter((pod) => !ours.includes(pod)),
    creator: {
      ref: { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: target.ref.namespace, name: target.ref.name },
      uid,
      failure: null,
      wanted: counts.desired,
      created: owned.filter(isActive).length,
    },
    deadlineSeconds: null,
  };
};

function countsOf(set: DaemonSet, observed: boolean): Counts {
  const status = set.status;
  const desired = status?.desiredNumberScheduled ?? 0;
  const updated = observed ? (status?.updatedNumberScheduled ?? 0) : 0;
  return {
    desired,
    updated,
    ready: status?.numberReady ?? 0,
    available: status?.numberAvailable ?? 0,
    old: Math.max(0, (status?.currentNumberScheduled ?? 0) - updated),
  };
}

function progressOf(
  set: DaemonSet,
  owned: readonly Pod[],
  hash: string | null,
  counts: Counts,
  observed: boolean,
  look: Look,
): Progress {
  const progressing = (message: string): Progress => ({
    phase: 'progressing',
    counts,
    message,
    deadlineExceeded: false,
  });
  if (!observed) return progressing('waiting for the DaemonSet controller to observe the change');
  if (set.spec?.updateStrategy?.type === 'OnDelete') {
    const message = 'observed; with updateStrategy OnDelete each pod takes the change when it is deleted by hand';
    return { phase: 'complete', counts, message };
  }
  if (counts.updated >= counts.desired && counts.available >= counts.desired) {
    const message =
      counts.desired === 0
        ? 'no node wants a pod of it'
        : `${counts.available} of ${counts.desired} nodes have an available pod`;
    return { phase: 'complete', counts, message };
  }
  const excused = excusedNodes(owned, hash, look);
  const missing = counts.desired - owned.filter((pod) => isDone(pod, hash)).length;
  if (excused.length > 0 && missing <= excused.length) {
    const message = `${counts.desired - missing} of ${counts.desired} nodes have an available pod; excused: ${excused.join(', ')}`;
    return { phase: 'complete', counts, message };
  }
  if (counts.updated < counts.desired) return progressing(`${counts.updated} of ${counts.desired} pods updated`);
  return progressing(`${counts.available} of ${counts.desired} pods available`);
}

function isDone(pod: Pod, hash: string | null): boolean {
  const ready =
    pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
  return ready && isActive(pod) && pod.metadata?.labels?.[REVISION_LABEL] === hash;
}

/** Nodes that hold a pod of the set which is not done, and that could not make it so. */
function excusedNodes(owned: readonly Pod[], hash: string | null, look: Look): readonly string[] {
  const nodes = look({ kind: 'nodes' });
  if (nodes.state !== 'known') return [];
  const waiting = new Set(owned.filter((pod) => !isDone(pod, hash)).map(nodeOf));
  const done = new Set(owned.filter((pod) => isDone(pod, hash)).map(nodeOf));
  return nodes.value
    .filter((node) => isOut(node))
    .map((node) => node.metadata?.name ?? '')
    .filter((name) => waiting.has(name) && !done.has(name))
    .sort();
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
