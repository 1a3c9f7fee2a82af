import type { Case, Step } from '../case.ts';
import { create, env, image, object, run, slots, takes, workload } from '../objects.ts';

/**
 * What this one-node cluster does not produce by itself: the components that would say it (an autoscaler, a volume plugin, a lost node) are not there, so
 * that the test writes the events as they write them. Sources: cluster-autoscaler's event sink, Karpenter, attach/detach controller, kubelet.
 */
function says(
  after: number,
  reason: string,
  message: string,
  component: string,
  options: { readonly type?: string; readonly count?: number } = {},
): Step & { readonly after: number } {
  const { type = 'Warning', count = 1 } = options;
  const script = `
set -e
for i in $(seq 1 20); do uid=$(kubectl get pod -n NS -l app=web --sort-by=.metadata.creationTimestamp -o jsonpath='{.items[-1:].metadata.uid}'); [ -n "$uid" ] && break; sleep 0.5; done
name=$(kubectl get pod -n NS -l app=web --sort-by=.metadata.creationTimestamp -o jsonpath='{.items[-1:].metadata.name}')
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
kubectl apply -f - <<EVENT
apiVersion: v1
kind: Event
metadata: { name: ${reason.toLowerCase()}-${after}, namespace: NS }
involvedObject: { apiVersion: v1, kind: Pod, namespace: NS, name: "$name", uid: "$uid" }
reason: ${reason}
message: ${JSON.stringify(message)}
type: ${type}
count: ${count}
firstTimestamp: "$now"
lastTimestamp: "$now"
source: { component: ${component} }
EVENT`;
  return { after, kubectl: ['SHELL', script] };
}

/** The cluster's controllers, held and let go by the process id that the test cluster keeps: these cases must run alone. */
const controllers = (signal: 'STOP' | 'CONT'): Step => ({
  kubectl: ['SHELL', `kill -${signal} $(cat $ROLLOUT_CLUSTER/pid/controller-manager)`],
});
const STOPPED = controllers('STOP');
const CONTINUED = controllers('CONT');

const scaled = slots('scaled', 1);
const SHORT = { spec: { progressDeadlineSeconds: 30 } } as const;

export const SIMULATED_CASES: readonly Case[] = [
  {
    name: 'autoscaler-adds-a-node',
    role: 'twin',
    simulated: true,
    manifest: [workload({ container: takes(scaled.resource) })],
    during: [
      says(2, 'TriggeredScaleUp', 'pod triggered scale-up: [{pool-1 1->2 (max: 5)}]', 'cluster-autoscaler', {
        type: 'Normal',
      }),
      ...(scaled.setup ?? []).map((step) => ({ after: 70, ...step })),
    ],
    cleanup: scaled.cleanup ?? [],
    expected: { verdict: 'succeeded', cause: '', within: 110 },
  },
  {
    name: 'autoscaler-refuses',
    role: 'stall',
    simulated: true,
    manifest: [workload({ container: takes('rollout-gate.test/nowhere') })],
    during: [
      says(2, 'NotTriggerScaleUp', "pod didn't trigger scale-up: 2 max node group size reached", 'cluster-autoscaler', {
        type: 'Normal',
        count: 4,
      }),
    ],
    expected: { verdict: 'stalled', cause: 'CapacityInsufficient', within: 75 },
  },
  {
    name: 'autoscaler-is-still-thinking',
    role: 'twin',
    simulated: true,
    manifest: [workload({ pod: { nodeSelector: { 'rollout-gate.test/pool': 'yes' } } })],
    during: [
      says(2, 'Nominated', 'Pod should schedule on: nodeclaim/default-x7k2p', 'karpenter', { type: 'Normal' }),
      { after: 70, kubectl: ['label', 'node', 'NODE', 'rollout-gate.test/pool=yes'] },
    ],
    cleanup: [{ kubectl: ['label', 'node', 'NODE', 'rollout-gate.test/pool-'] }],
    expected: { verdict: 'succeeded', cause: '', within: 110 },
  },
  {
    name: 'volume-attached-elsewhere',
    role: 'stall',
    simulated: true,
    manifest: [workload({ init: [{ name: 'hold', image: image('hanging/app:v1') }], ...SHORT })],
    during: [
      says(
        2,
        'FailedAttachVolume',
        'Multi-Attach error for volume "pvc-4711" Volume is already exclusively attached to one node and can\'t be attached to another',
        'attachdetach-controller',
      ),
    ],
    expected: { verdict: 'timed-out', cause: 'VolumeAttachBlocked', within: 35 },
  },
  {
    name: 'sandbox-fails',
    role: 'stall',
    setup: [create(object('node.k8s.io/v1', 'RuntimeClass', 'gate-TAG', { handler: 'nope' }, false))],
    cleanup: [{ kubectl: ['delete', 'runtimeclass', 'gate-TAG', '--ignore-not-found'] }],
    manifest: [workload({ pod: { runtimeClassName: 'gate-TAG' }, ...SHORT })],
    expected: { verdict: 'timed-out', cause: 'SandboxFailed', within: 35 },
  },
  {
    name: 'node-is-lost',
    role: 'stall',
    simulated: true,
    manifest: [workload({ container: env({ READY_AFTER: '3600' }), ...SHORT })],
    during: [says(3, 'NodeNotReady', 'Node is not ready', 'node-controller')],
    expected: { verdict: 'timed-out', cause: 'NodeUnavailable', within: 35 },
  },
  {
    name: 'nothing-moves',
    role: 'stall',
    manifest: [
      workload({
        container: { readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, initialDelaySeconds: 3600 } },
        spec: { progressDeadlineSeconds: 25 },
      }),
    ],
    expected: { verdict: 'timed-out', cause: 'NoProgress', within: 30 },
  },
  {
    name: 'pods-are-deleted-again-and-again',
    role: 'stall',
    inputs: { 'stable-for': '40s' },
    manifest: [workload()],
    during: [8, 40, 70].map((after) => ({
      after,
      ...run('delete', 'pod', '-l', 'app=web', '--wait=false', '--grace-period=1'),
    })),
    expected: { verdict: 'stalled', cause: 'RestartedInSoak', within: 90 },
  },
  {
    name: 'readiness-gate-is-set',
    role: 'twin',
    simulated: true,
    manifest: [workload({ pod: { readinessGates: [{ conditionType: 'example.com/load-balancer' }] } })],
    during: [
      {
        after: 12,
        kubectl: [
          'SHELL',
          'p=$(kubectl get pod -n NS -l app=web -o name | head -1); kubectl patch $p -n NS --subresource=status --type=strategic -p \'{"status":{"conditions":[{"type":"example.com/load-balancer","status":"True"}]}}\'',
        ],
      },
    ],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'scheduling-gate-is-lifted',
    role: 'twin',
    manifest: [workload({ pod: { schedulingGates: [{ name: 'example.com/quota' }] } })],
    during: [
      {
        after: 12,
        kubectl: [
          'SHELL',
          'p=$(kubectl get pod -n NS -l app=web -o name | head -1); kubectl patch $p -n NS --type=json -p \'[{"op":"remove","path":"/spec/schedulingGates"}]\'',
        ],
      },
    ],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'volume-is-released',
    role: 'twin',
    simulated: true,
    manifest: [workload({ init: [{ name: 'wait', image: image('slow/app:v-TAG'), command: ['true'] }] })],
    during: [
      says(
        2,
        'FailedAttachVolume',
        'Multi-Attach error for volume "pvc-4711" Volume is already used by pod(s) web-0',
        'attachdetach-controller',
      ),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'node-comes-back',
    role: 'twin',
    simulated: true,
    manifest: [workload({ container: env({ READY_AFTER: '20' }) })],
    during: [says(3, 'NodeNotReady', 'Node is not ready', 'node-controller')],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'old-pod-takes-its-grace',
    role: 'twin',
    before: [
      workload({
        spec: { strategy: { type: 'Recreate' } },
        pod: { terminationGracePeriodSeconds: 15 },
        container: env({ IGNORE_TERM: '1' }),
      }),
    ],
    manifest: [
      workload({
        spec: { strategy: { type: 'Recreate' } },
        pod: { terminationGracePeriodSeconds: 15 },
        container: { image: image('app:v2') },
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'controller-is-silent',
    role: 'stall',
    setup: [STOPPED],
    cleanup: [CONTINUED],
    manifest: [workload({ spec: { progressDeadlineSeconds: 35 } })],
    expected: { verdict: 'timed-out', cause: 'ControllerSilent', within: 40 },
  },
  {
    name: 'controller-comes-back',
    role: 'twin',
    setup: [STOPPED],
    cleanup: [CONTINUED],
    manifest: [workload()],
    during: [{ after: 40, ...CONTINUED }],
    expected: { verdict: 'succeeded', cause: '', within: 75 },
  },
];
