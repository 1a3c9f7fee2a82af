import type { Case } from '../case.ts';
import { container, create, env, image, job, object, run, script, workload } from '../objects.ts';

const CRASH = script('echo boom; exit 1');

export const KIND_CASES: readonly Case[] = [
  {
    name: 'deployment-succeeds',
    role: 'herring',
    manifest: [workload({ replicas: 3 })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'deployment-update-succeeds',
    role: 'herring',
    before: [workload({ replicas: 3 })],
    manifest: [workload({ replicas: 3, container: { image: image('app:v2') } })],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'deployment-with-min-ready-seconds',
    role: 'twin',
    manifest: [workload({ replicas: 2, spec: { minReadySeconds: 12 } })],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'stateful-set-succeeds',
    role: 'herring',
    manifest: [workload({ kind: 'StatefulSet', replicas: 3 })],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'stateful-set-partition',
    role: 'herring',
    before: [workload({ kind: 'StatefulSet', replicas: 3 })],
    manifest: [
      workload({
        kind: 'StatefulSet',
        replicas: 3,
        container: { image: image('app:v2') },
        spec: { updateStrategy: { rollingUpdate: { partition: 2 } } },
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'stateful-set-on-delete',
    role: 'herring',
    before: [workload({ kind: 'StatefulSet', replicas: 2, spec: { updateStrategy: { type: 'OnDelete' } } })],
    manifest: [
      workload({
        kind: 'StatefulSet',
        replicas: 2,
        container: { image: image('app:v2') },
        spec: { updateStrategy: { type: 'OnDelete' } },
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'stateful-set-image-not-found-update',
    role: 'stall',
    before: [workload({ kind: 'StatefulSet', replicas: 2 })],
    manifest: [workload({ kind: 'StatefulSet', replicas: 2, container: { image: image('app:nope') } })],
    expected: { verdict: 'stalled', cause: 'ImageNotFound', within: 50 },
  },
  {
    name: 'stateful-set-trapped',
    role: 'stall',
    setup: [
      create(workload({ kind: 'StatefulSet', container: { image: image('app:nope') } })),
      run('wait', 'pod/web-0', '--for=jsonpath={.status.phase}=Pending', '--timeout=30s'),
    ],
    inputs: { 'force-conflicts': 'true' },
    manifest: [workload({ kind: 'StatefulSet' })],
    expected: { verdict: 'stalled', cause: 'StatefulSetTrapped', within: 70 },
  },
  {
    name: 'stateful-set-freed-by-hand',
    role: 'twin',
    setup: [
      create(workload({ kind: 'StatefulSet', container: { image: image('app:nope') } })),
      run('wait', 'pod/web-0', '--for=jsonpath={.status.phase}=Pending', '--timeout=30s'),
    ],
    inputs: { 'force-conflicts': 'true' },
    manifest: [workload({ kind: 'StatefulSet' })],
    during: [{ after: 15, ...run('delete', 'pod', 'web-0', '--wait=false') }],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'daemon-set-succeeds',
    role: 'herring',
    manifest: [workload({ kind: 'DaemonSet' })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'daemon-set-that-no-node-wants',
    role: 'herring',
    manifest: [workload({ kind: 'DaemonSet', pod: { nodeSelector: { gpu: 'yes' } } })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'daemon-set-crashes-update',
    role: 'stall',
    before: [workload({ kind: 'DaemonSet' })],
    manifest: [workload({ kind: 'DaemonSet', containers: [CRASH] })],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 60 },
  },
  {
    name: 'job-succeeds',
    role: 'herring',
    manifest: [job({}, { command: ['sleep', '3'] })],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'job-fails',
    role: 'stall',
    manifest: [job({ backoffLimit: 0 }, { command: ['sh', '-c', 'echo cannot migrate; exit 9'] })],
    expected: { verdict: 'stalled', cause: 'JobFailed', within: 20 },
  },
  {
    name: 'job-is-retried',
    role: 'twin',
    setup: [create(object('v1', 'ConfigMap', 'marker', { data: {} }))],
    manifest: [
      job(
        { backoffLimit: 4 },
        { command: ['sh', '-c', 'test -s /marker/ready || { echo waiting; exit 1; }'], volumeMounts: [] },
      )
        .replace('"containers"', '"volumes":[{"name":"m","configMap":{"name":"marker"}}],"containers"')
        .replace('"volumeMounts":[]', '"volumeMounts":[{"name":"m","mountPath":"/marker"}]'),
    ],
    during: [{ after: 8, ...run('patch', 'configmap', 'marker', '--type=merge', '-p', '{"data":{"ready":"yes"}}') }],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'job-runs-out-of-time',
    role: 'stall',
    manifest: [job({ activeDeadlineSeconds: 8 }, { command: ['sleep', '3600'] })],
    expected: { verdict: 'stalled', cause: 'JobFailed', within: 30 },
  },
  {
    name: 'job-image-not-found',
    role: 'stall',
    manifest: [job({}, { image: image('app:nope') })],
    expected: { verdict: 'stalled', cause: 'ImageNotFound', within: 50 },
  },
  {
    name: 'job-is-gone-when-done',
    role: 'herring',
    manifest: [job({ ttlSecondsAfterFinished: 0 }, { command: ['sleep', '2'] })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'pod-fails',
    role: 'stall',
    manifest: [
      object('v1', 'Pod', 'once', {
        spec: { restartPolicy: 'Never', containers: [script('echo smoke test failed; exit 3')] },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 15 },
  },
  {
    name: 'pod-ends-with-success',
    role: 'herring',
    manifest: [object('v1', 'Pod', 'once', { spec: { restartPolicy: 'Never', containers: [script('sleep 3')] } })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'replication-controller-succeeds',
    role: 'herring',
    manifest: [
      object('v1', 'ReplicationController', 'old', {
        spec: {
          replicas: 2,
          selector: { app: 'old' },
          template: { metadata: { labels: { app: 'old' } }, spec: { containers: [container()] } },
        },
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'job-suspended',
    role: 'herring',
    manifest: [job({ suspend: true }, { command: ['true'] })],
    expected: { verdict: 'superseded', cause: 'JobSuspended', within: 10 },
  },
];

export const HERRING_CASES: readonly Case[] = [
  {
    name: 'old-revision-crashes',
    role: 'herring',
    setup: [create(workload({ replicas: 2, containers: [CRASH] }))],
    inputs: { 'force-conflicts': 'true' },
    manifest: [workload({ replicas: 2 })],
    expected: { verdict: 'succeeded', cause: '', within: 45 },
  },
  {
    name: 'neighbour-stalls',
    role: 'herring',
    setup: [create(workload({ name: 'neighbour', container: { image: image('app:nope') } }))],
    manifest: [workload()],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'neighbour-with-the-same-labels',
    role: 'herring',
    setup: [create(workload({ name: 'web-canary', labels: { app: 'web', track: 'canary' }, containers: [CRASH] }))],
    manifest: [workload({ replicas: 2 })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
  {
    name: 'evicted-pod-is-replaced',
    role: 'herring',
    simulated: true,
    manifest: [workload({ container: env({ READY_AFTER: '12' }) })],
    during: [
      {
        after: 5,
        kubectl: [
          'SHELL',
          'p=$(kubectl get pod -n NS -l app=web -o name | head -1); kubectl patch $p -n NS --subresource=status --type=merge -p \'{"status":{"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory."}}\'',
        ],
      },
    ],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'paused-by-a-hand',
    role: 'herring',
    manifest: [workload({ container: env({ READY_AFTER: '20' }) })],
    during: [{ after: 4, ...run('rollout', 'pause', 'deployment/web') }],
    expected: { verdict: 'superseded', cause: 'Paused', within: 30 },
  },
  {
    name: 'paused-by-the-manifest',
    role: 'herring',
    manifest: [workload({ spec: { paused: true } })],
    expected: { verdict: 'superseded', cause: 'Paused', within: 10 },
  },
  {
    name: 'changed-by-someone-else',
    role: 'herring',
    manifest: [workload({ container: env({ READY_AFTER: '20' }) })],
    during: [{ after: 4, ...run('set', 'image', 'deployment/web', `app=${image('app:v2')}`) }],
    expected: { verdict: 'superseded', cause: 'Superseded', within: 30 },
  },
  {
    name: 'scaled-by-someone-else',
    role: 'herring',
    manifest: [workload({ container: env({ READY_AFTER: '12' }) })],
    during: [{ after: 4, ...run('scale', 'deployment/web', '--replicas=3') }],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'old-pod-lingers',
    role: 'stall',
    before: [
      workload({
        spec: { strategy: { type: 'Recreate' } },
        pod: { terminationGracePeriodSeconds: 3600 },
        containers: [container({ ...env({ IGNORE_TERM: '1' }) })],
      }),
    ],
    during: [
      {
        after: 1,
        kubectl: [
          'SHELL',
          'p=$(kubectl get pod -n NS -l app=web -o name | head -1); kubectl patch $p -n NS --type=merge -p \'{"metadata":{"finalizers":["example.com/hold"]}}\'; kubectl delete $p -n NS --grace-period=1 --wait=false',
        ],
      },
    ],
    cleanup: [
      {
        kubectl: [
          'SHELL',
          'kubectl get pod -n NS -o name | while read p; do kubectl patch $p -n NS --type=merge -p \'{"metadata":{"finalizers":null}}\'; kubectl delete $p -n NS --grace-period=0 --force --wait=false; done; true',
        ],
      },
    ],
    manifest: [
      workload({
        spec: { strategy: { type: 'Recreate' }, progressDeadlineSeconds: 30 },
        pod: { terminationGracePeriodSeconds: 3600 },
        containers: [container({ image: image('app:v2') })],
      }),
    ],
    expected: { verdict: 'timed-out', cause: 'OldPodsLinger', within: 40 },
  },
];
