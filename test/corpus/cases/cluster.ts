import type { Case } from '../case.ts';
import { container, create, image, object, run, slots, takes, workload } from '../objects.ts';

const ours = slots('room', 4);
const later = slots('later', 1);
const leaving = slots('leaving', 1);
const deadlock = slots('surge', 2);

const port = { ports: [{ containerPort: 8080, hostPort: 31777 }] };
const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
};
const STRICT = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } as const;
const claimSpec = (fields: object) => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  ...fields,
});
const claim = (fields: object) =>
  object('v1', 'PersistentVolumeClaim', 'data', {
    spec: claimSpec(fields),
  });
const WITH_CLAIM = workload({
  containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
  pod: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
});

export const SCHEDULING_CASES: readonly Case[] = [
  {
    name: 'worked-case',
    role: 'stall',
    setup: ours.setup ?? [],
    cleanup: ours.cleanup ?? [],
    manifest: [workload({ replicas: 6, container: takes(ours.resource) })],
    expected: { verdict: 'stalled', cause: 'CapacityInsufficient', within: 70 },
  },
  {
    name: 'request-larger-than-any-node',
    role: 'stall',
    manifest: [workload({ container: { resources: { requests: { cpu: '900' } } } })],
    expected: { verdict: 'stalled', cause: 'CapacityInsufficient', within: 4 },
  },
  {
    name: 'request-larger-than-any-node-update',
    role: 'stall',
    before: [workload()],
    manifest: [workload({ container: { resources: { requests: { memory: '9Ti' } } } })],
    expected: { verdict: 'stalled', cause: 'CapacityInsufficient', within: 4 },
  },
  {
    name: 'no-room-for-the-surge',
    role: 'stall',
    setup: deadlock.setup ?? [],
    cleanup: deadlock.cleanup ?? [],
    before: [workload({ replicas: 2, container: takes(deadlock.resource), spec: STRICT })],
    manifest: [
      workload({ replicas: 2, container: { ...takes(deadlock.resource), image: image('app:v2') }, spec: STRICT }),
    ],
    expected: { verdict: 'stalled', cause: 'CapacityInsufficient', within: 70 },
  },
  {
    name: 'another-pod-leaves',
    role: 'twin',
    setup: [
      ...(leaving.setup ?? []),
      create(
        object('v1', 'Pod', 'hog', {
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              { name: 'hog', image: image('busybox:1'), command: ['sleep', '3600'], ...takes(leaving.resource) },
            ],
          },
        }),
      ),
      run('wait', 'pod/hog', '--for=condition=Ready', '--timeout=60s'),
    ],
    cleanup: leaving.cleanup ?? [],
    manifest: [workload({ container: takes(leaving.resource) })],
    during: [{ after: 25, ...run('delete', 'pod', 'hog', '--wait=false') }],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'room-comes-late',
    role: 'twin',
    manifest: [workload({ container: takes(later.resource, 1) })],
    setup: [],
    during: (later.setup ?? []).map((step) => ({ after: 1, ...step })),
    cleanup: later.cleanup ?? [],
    inputs: { patience: '2' },
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'device-that-no-node-offers',
    role: 'stall',
    manifest: [workload({ container: { resources: { limits: { 'rollout-gate.test/device': 1 } } } })],
    expected: { verdict: 'stalled', cause: 'CapacityInsufficient', within: 70 },
  },
  {
    name: 'selector-that-no-node-has',
    role: 'stall',
    manifest: [workload({ pod: { nodeSelector: { disk: 'nvme' } } })],
    expected: { verdict: 'stalled', cause: 'PlacementImpossible', within: 70 },
  },
  {
    name: 'node-is-labelled-late',
    role: 'twin',
    manifest: [workload({ pod: { nodeSelector: { 'rollout-gate.test/late': 'yes' } } })],
    during: [{ after: 20, kubectl: ['label', 'node', 'NODE', 'rollout-gate.test/late=yes'] }],
    cleanup: [{ kubectl: ['label', 'node', 'NODE', 'rollout-gate.test/late-'] }],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'anti-affinity-with-too-few-nodes',
    role: 'stall',
    manifest: [workload({ replicas: 2, pod: apart })],
    expected: { verdict: 'stalled', cause: 'PlacementImpossible', within: 70 },
  },
  {
    name: 'host-port-held-by-the-old-pod',
    role: 'stall',
    before: [workload({ container: port, spec: STRICT })],
    manifest: [workload({ container: { ...port, image: image('app:v2') }, spec: STRICT })],
    expected: { verdict: 'stalled', cause: 'PlacementImpossible', within: 70 },
  },
  {
    name: 'host-port-freed-by-recreate',
    role: 'twin',
    before: [
      workload({
        container: { ports: [{ containerPort: 8080, hostPort: 31778 }] },
        spec: { strategy: { type: 'Recreate' } },
      }),
    ],
    manifest: [
      workload({
        container: { ports: [{ containerPort: 8080, hostPort: 31778 }], image: image('app:v2') },
        spec: { strategy: { type: 'Recreate' } },
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'scheduling-gate',
    role: 'stall',
    manifest: [
      workload({ pod: { schedulingGates: [{ name: 'example.com/quota' }] }, spec: { progressDeadlineSeconds: 25 } }),
    ],
    expected: { verdict: 'timed-out', cause: 'PodGated', within: 30 },
  },
];

export const VOLUME_CASES: readonly Case[] = [
  {
    name: 'claim-missing',
    role: 'stall',
    manifest: [WITH_CLAIM],
    expected: { verdict: 'stalled', cause: 'VolumeUnbound', within: 70 },
  },
  {
    name: 'claim-comes',
    role: 'twin',
    setup: [],
    manifest: [WITH_CLAIM],
    during: [
      { after: 10, ...create(claim({ storageClassName: '', volumeName: 'gate-TAG' })) },
      { after: 12, ...create(volume('gate-TAG')) },
    ],
    cleanup: [{ kubectl: ['delete', 'pv', 'gate-TAG', '--wait=false', '--ignore-not-found'] }],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'claim-without-class',
    role: 'stall',
    manifest: [claim({}), WITH_CLAIM],
    expected: { verdict: 'stalled', cause: 'VolumeUnbound', within: 70 },
  },
  {
    name: 'claim-of-unknown-class-update',
    role: 'stall',
    before: [workload()],
    manifest: [claim({ storageClassName: 'fast-ssd' }), WITH_CLAIM],
    expected: { verdict: 'stalled', cause: 'VolumeUnbound', within: 70 },
  },
  {
    name: 'claim-template-of-unknown-class',
    role: 'stall',
    manifest: [
      workload({
        kind: 'StatefulSet',
        spec: {
          volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec({ storageClassName: 'fast-ssd' }) }],
        },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'VolumeUnbound', within: 70 },
  },
  {
    name: 'host-path-missing',
    role: 'stall',
    manifest: [withHostPath('web', 'Directory')],
    expected: { verdict: 'stalled', cause: 'VolumeAttachBlocked', within: 75 },
  },
  {
    name: 'host-path-comes',
    role: 'twin',
    manifest: [withHostPath('web', 'Directory')],
    during: [{ after: 20, ...create(withHostPath('other', 'DirectoryOrCreate')) }],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
];

function withHostPath(name: string, type: string): string {
  return workload({
    name,
    pod: { volumes: [{ name: 'data', hostPath: { path: '/tmp/rollout-gate-TAG', type } }] },
    container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
  });
}

function volume(name: string): string {
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    hostPath: { path: '/tmp' },
    claimRef: { namespace: 'NS', name: 'data' },
  };
  return object('v1', 'PersistentVolume', name, { spec }, false);
}

const WEBHOOK = object(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'gate-NS',
  {
    webhooks: [
      {
        name: 'pods.policy.example.com',
        clientConfig: { service: { namespace: 'NS', name: 'policy', path: '/' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 2,
      },
    ],
  },
  false,
);
const NO_WEBHOOK = { kubectl: ['delete', 'validatingwebhookconfiguration', 'gate-NS', '--ignore-not-found'] };
const POLICY = [
  object(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    'gate-NS',
    {
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        validations: [{ expression: 'has(object.metadata.labels.team)', message: 'every pod needs the label team' }],
      },
    },
    false,
  ),
  object(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    'gate-NS',
    {
      spec: {
        policyName: 'gate-NS',
        validationActions: ['Deny'],
        matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } } },
      },
    },
    false,
  ),
].map(create);
const NO_POLICY = ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'].map((kind) => ({
  kubectl: ['delete', kind, 'gate-NS', '--ignore-not-found'],
}));

export const CREATION_CASES: readonly Case[] = [
  {
    name: 'quota-too-small',
    role: 'stall',
    setup: [run('create', 'quota', 'small', '--hard=pods=2')],
    manifest: [workload({ replicas: 4 })],
    expected: { verdict: 'stalled', cause: 'QuotaExceeded', within: 4 },
  },
  {
    name: 'quota-needs-limits',
    role: 'stall',
    setup: [run('create', 'quota', 'small', '--hard=limits.memory=1Gi')],
    manifest: [workload()],
    expected: { verdict: 'stalled', cause: 'QuotaExceeded', within: 4 },
  },
  {
    name: 'quota-without-room-for-the-surge',
    role: 'stall',
    setup: [run('create', 'quota', 'small', '--hard=pods=2')],
    before: [workload({ replicas: 2, spec: STRICT })],
    manifest: [
      workload({
        replicas: 2,
        container: { image: image('app:v2') },
        spec: { ...STRICT, progressDeadlineSeconds: 25 },
      }),
    ],
    expected: { verdict: 'timed-out', cause: 'QuotaExceeded', within: 30 },
  },
  {
    name: 'quota-is-raised',
    role: 'twin',
    setup: [run('create', 'quota', 'small', '--hard=pods=2')],
    before: [workload({ replicas: 2, spec: STRICT })],
    manifest: [workload({ replicas: 2, container: { image: image('app:v2') }, spec: STRICT })],
    during: [{ after: 12, ...run('patch', 'quota', 'small', '--type=merge', '-p', '{"spec":{"hard":{"pods":"5"}}}') }],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'quota-stuck-update-is-loosened',
    role: 'twin',
    setup: [run('create', 'quota', 'small', '--hard=pods=2')],
    before: [workload({ replicas: 2, spec: STRICT })],
    manifest: [
      workload({
        replicas: 2,
        container: { image: image('app:v2') },
        spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'pod-security',
    role: 'stall',
    setup: [{ kubectl: ['label', 'namespace', 'NS', 'pod-security.kubernetes.io/enforce=restricted'] }],
    manifest: [workload()],
    expected: { verdict: 'stalled', cause: 'AdmissionDenied', within: 4 },
  },
  {
    name: 'limit-range',
    role: 'stall',
    setup: [
      create(
        object('v1', 'LimitRange', 'small', { spec: { limits: [{ type: 'Container', max: { memory: '64Mi' } }] } }),
      ),
    ],
    manifest: [workload({ container: { resources: { limits: { memory: '512Mi' } } } })],
    expected: { verdict: 'stalled', cause: 'AdmissionDenied', within: 4 },
  },
  {
    name: 'limit-range-update',
    role: 'stall',
    before: [workload()],
    setup: [],
    manifest: [
      object('v1', 'LimitRange', 'small', { spec: { limits: [{ type: 'Container', max: { cpu: '100m' } }] } }),
      workload({ container: { resources: { limits: { cpu: '500m' } } } }),
    ],
    expected: { verdict: 'stalled', cause: 'AdmissionDenied', within: 4 },
  },
  {
    name: 'priority-class-missing',
    role: 'stall',
    manifest: [workload({ pod: { priorityClassName: 'urgent' } })],
    expected: { verdict: 'stalled', cause: 'AdmissionDenied', within: 4 },
  },
  {
    name: 'runtime-class-missing',
    role: 'stall',
    manifest: [workload({ pod: { runtimeClassName: 'gvisor' } })],
    expected: { verdict: 'stalled', cause: 'AdmissionDenied', within: 4 },
  },
  {
    name: 'policy-denies',
    role: 'stall',
    // A policy counts a few seconds after it was created.
    setup: [...POLICY, { kubectl: ['SHELL', 'sleep 12'] }],
    cleanup: NO_POLICY,
    manifest: [workload()],
    expected: { verdict: 'stalled', cause: 'AdmissionDenied', within: 15 },
  },
  {
    name: 'webhook-unavailable',
    role: 'stall',
    setup: [create(WEBHOOK)],
    cleanup: [NO_WEBHOOK],
    manifest: [workload({ spec: { progressDeadlineSeconds: 25 } })],
    expected: { verdict: 'timed-out', cause: 'WebhookUnavailable', within: 30 },
  },
  {
    name: 'webhook-comes-back',
    role: 'twin',
    setup: [create(WEBHOOK)],
    cleanup: [NO_WEBHOOK],
    manifest: [workload()],
    during: [{ after: 10, ...NO_WEBHOOK }],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'service-account-missing',
    role: 'stall',
    manifest: [workload({ pod: { serviceAccountName: 'deployer' } })],
    expected: { verdict: 'stalled', cause: 'ServiceAccountMissing', within: 45 },
  },
  {
    name: 'service-account-comes',
    role: 'twin',
    manifest: [workload({ pod: { serviceAccountName: 'deployer' } })],
    during: [{ after: 10, ...run('create', 'serviceaccount', 'deployer') }],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
];
