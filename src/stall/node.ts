import { isOut } from '../rollout/excused-nodes.ts';
import { eventTimes } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import { NEVER } from './ripeness.ts';
import type { Family } from './scene.ts';

/** Reasons in a pod's status for which Kubernetes ended it, to be replaced. Source: core/v1 PodReasons, kubelet eviction and lifecycle. */
const DISRUPTIONS: ReadonlySet<string> = new Set([
  'Evicted',
  'Preempting',
  'Preempted',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfpods',
  'NodeAffinity',
  'NodeLost',
  'NodeShutdown',
  'Terminated',
  'Shutdown',
  'UnexpectedAdmissionError',
]);

/** Pods of our workload that were ended by the cluster and are being replaced. */
export const podDisrupted: Family = (scene) =>
  scene.rollout.otherPods
    .filter((pod) => pod.status?.phase === 'Failed' && DISRUPTIONS.has(pod.status.reason ?? ''))
    .map((pod) => ({
      code: 'PodDisrupted' as const,
      certainty: 'waiting' as const,
      scope: 'cluster' as const,
      container: null,
      summary: `Pod ${pod.metadata?.name ?? ''} was ended by the cluster (${pod.status?.reason ?? ''}) on node ${pod.spec?.nodeName ?? 'unknown'}: ${pod.status?.message ?? ''}`,
      evidence: [{ what: `pod ${pod.status?.reason ?? ''}`, value: pod.status?.message ?? '' }],
      remedy: {
        text: `See the state of node ${pod.spec?.nodeName ?? ''}: kubectl describe node`,
        path: null,
        value: null,
      },
      falsifier: 'Its replacement becomes ready.',
      ripeness: NEVER,
      depth: DEPTH.disruption,
      pods: [pod.metadata?.name ?? ''],
    }));

/** Pods on a node that the control plane has lost. */
export const nodeUnavailable: Family = (scene) =>
  scene.rollout.pods.flatMap((pod) => {
    const lost = scene.view.events(pod.metadata?.uid ?? '').filter((event) => event.reason === 'NodeNotReady');
    const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready')?.status === 'True';
    if (lost.length === 0 || ready) return [];
    const node = pod.spec?.nodeName ?? 'unknown';
    return [
      {
        code: 'NodeUnavailable' as const,
        certainty: 'waiting' as const,
        scope: 'cluster' as const,
        container: null,
        summary: `Node ${node}, on which the pod runs, is not ready`,
        evidence: [{ what: 'event NodeNotReady', value: lost.at(-1)?.message ?? '' }],
        remedy: {
          text: `Bring node ${node} back, or remove it so that the pod is placed elsewhere.`,
          path: null,
          value: null,
        },
        falsifier: 'The node is ready again.',
        ripeness: NEVER,
        depth: DEPTH.node,
        pods: [pod.metadata?.name ?? ''],
      },
    ];
  });

/**
 * Nodes that are down use up a DaemonSet's maxUnavailable, so that no pod on a good node is replaced either (kubernetes#139226). They are
 * excused when all others are done; until then they are what the update waits for.
 */
export const daemonSetHeld: Family = (scene) => {
  if (scene.target.ref.kind !== 'DaemonSet' || scene.rollout.progress.phase !== 'progressing') return [];
  const nodes = scene.look({ kind: 'nodes' });
  if (nodes.state !== 'known') return [];
  const holding = new Set(scene.rollout.otherPods.map((pod) => pod.spec?.nodeName ?? ''));
  const out = nodes.value
    .filter((node) => isOut(node) && holding.has(node.metadata?.name ?? ''))
    .map((node) => node.metadata?.name ?? '');
  if (out.length === 0) return [];
  const names = out.sort().join(', ');
  return [
    {
      code: 'NodeUnavailable',
      certainty: 'waiting',
      scope: 'cluster',
      container: null,
      summary: `${out.length === 1 ? `Node ${names} is` : `Nodes ${names} are`} not ready or cordoned and ${out.length === 1 ? 'counts' : 'count'} against the DaemonSet's maxUnavailable, so that pods on other nodes may not be replaced`,
      evidence: out.map((name) => ({
        what: `node ${name}`,
        value: 'not ready or cordoned, with a pod of an earlier revision',
      })),
      remedy: {
        text: `Bring the node back or remove it (kubectl delete node ${out[0]}), or raise updateStrategy.rollingUpdate.maxUnavailable above ${out.length}.`,
        path: ['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable'],
        value: String(out.length + 1),
      },
      falsifier: 'The node is ready again.',
      ripeness: NEVER,
      depth: DEPTH.node,
      pods: [],
    },
  ];
};

/** Pods whose network the node cannot set up. */
export const sandboxFailed: Family = (scene) =>
  scene.rollout.pods.flatMap((pod) => {
    if (pod.status?.podIP !== undefined) return [];
    const events = scene.view
      .events(pod.metadata?.uid ?? '')
      .filter((event) => ['FailedCreatePodSandBox', 'NetworkNotReady'].includes(event.reason ?? ''));
    const last = events.at(-1);
    if (last === undefined || scene.now - eventTimes(last).last > 120_000) return [];
    return [
      {
        code: 'SandboxFailed' as const,
        certainty: 'waiting' as const,
        scope: 'cluster' as const,
        container: null,
        summary: `Node ${pod.spec?.nodeName ?? ''} cannot set up the pod's sandbox: ${last.message ?? ''}`,
        evidence: [{ what: `event ${last.reason}`, value: last.message ?? '' }],
        remedy: {
          text: `See the network plugin and the container runtime of node ${pod.spec?.nodeName ?? ''}.`,
          path: null,
          value: null,
        },
        falsifier: 'The sandbox is created.',
        ripeness: NEVER,
        depth: DEPTH.node,
        pods: [pod.metadata?.name ?? ''],
      },
    ];
  });
