import type { Case } from '../case.ts';
import { container, create, image, job, object, workload } from '../objects.ts';

const late = (behaviour: string) => image(`${behaviour}20/app:t-TAG`);
const SHORT = { spec: { progressDeadlineSeconds: 25 } } as const;

export const IMAGE_CASES: readonly Case[] = [
  {
    name: 'image-not-found',
    role: 'stall',
    manifest: [workload({ container: { image: image('app:nope') } })],
    expected: { verdict: 'stalled', cause: 'ImageNotFound', within: 45 },
  },
  {
    name: 'image-not-found-update',
    role: 'stall',
    before: [workload({ replicas: 3 })],
    manifest: [workload({ replicas: 3, container: { image: image('app:nope') } })],
    expected: { verdict: 'stalled', cause: 'ImageNotFound', within: 45 },
  },
  {
    name: 'image-not-found-in-init',
    role: 'stall',
    manifest: [workload({ init: [{ name: 'migrate', image: image('busybox:nope'), command: ['true'] }] })],
    expected: { verdict: 'stalled', cause: 'ImageNotFound', within: 45 },
  },
  {
    name: 'image-late',
    role: 'twin',
    manifest: [workload({ container: { image: late('missing') } })],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'image-name-invalid',
    role: 'stall',
    manifest: [workload({ container: { image: 'registry.local/App:V1:x' } })],
    expected: { verdict: 'stalled', cause: 'ImageNameInvalid', within: 4 },
  },
  {
    name: 'image-never-pull',
    role: 'stall',
    manifest: [workload({ container: { image: image('app:gone'), imagePullPolicy: 'Never' } })],
    expected: { verdict: 'stalled', cause: 'ImageNeverPull', within: 30 },
  },
  {
    name: 'image-platform',
    role: 'stall',
    manifest: [workload({ container: { image: image('app:arm64') } })],
    expected: { verdict: 'stalled', cause: 'ImagePlatformMismatch', within: 30 },
  },
  {
    name: 'image-platform-by-log',
    role: 'stall',
    manifest: [workload({ container: { image: image('app:badformat') } })],
    expected: { verdict: 'stalled', cause: 'ImagePlatformMismatch', within: 30 },
  },
  {
    name: 'image-private',
    role: 'stall',
    manifest: [workload({ container: { image: image('private/app:v1') } })],
    expected: { verdict: 'stalled', cause: 'ImageUnauthorized', within: 45 },
  },
  {
    name: 'image-denied-update',
    role: 'stall',
    before: [workload()],
    manifest: [workload({ container: { image: image('denied/app:v1') } })],
    expected: { verdict: 'stalled', cause: 'ImageUnauthorized', within: 45 },
  },
  {
    name: 'image-pull-secret-missing',
    role: 'stall',
    manifest: [
      workload({ container: { image: image('private/app:v1') }, pod: { imagePullSecrets: [{ name: 'regcred' }] } }),
    ],
    expected: { verdict: 'stalled', cause: 'ImageUnauthorized', within: 30 },
  },
  {
    name: 'image-private-late',
    role: 'twin',
    manifest: [workload({ container: { image: late('private') } })],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'registry-limited',
    role: 'stall',
    manifest: [workload({ container: { image: image('limited/app:v1') }, ...SHORT })],
    expected: { verdict: 'timed-out', cause: 'RegistryUnavailable', within: 30 },
  },
  {
    name: 'registry-limited-late',
    role: 'twin',
    manifest: [workload({ container: { image: late('limited') } })],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'registry-broken-late',
    role: 'twin',
    before: [workload()],
    manifest: [workload({ container: { image: late('broken') } })],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'registry-reset-late',
    role: 'twin',
    manifest: [workload({ container: { image: late('reset') } })],
    expected: { verdict: 'succeeded', cause: '', within: 150 },
  },
  {
    name: 'registry-refused',
    role: 'stall',
    manifest: [workload({ container: { image: '127.0.0.1:5000/app:v1' }, ...SHORT })],
    expected: { verdict: 'timed-out', cause: 'RegistryUnavailable', within: 30 },
  },
  {
    name: 'image-pull-slow',
    role: 'stall',
    manifest: [workload({ container: { image: image('hanging/app:v1') }, ...SHORT })],
    expected: { verdict: 'timed-out', cause: 'ImagePullSlow', within: 30 },
  },
  {
    name: 'image-pull-slow-ends',
    role: 'twin',
    manifest: [workload({ container: { image: image('slow/app:t-TAG') } })],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'pull-secret-missing-but-not-needed',
    role: 'herring',
    manifest: [workload({ pod: { imagePullSecrets: [{ name: 'regcred' }] } })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
];

/** A ConfigMap or Secret that comes while the pods wait for it. */
const comes = (kind: 'ConfigMap' | 'Secret', name: string, data: object, after: number) => ({
  after,
  ...create(object('v1', kind, name, kind === 'Secret' ? { stringData: data } : { data })),
});
const keyRef = (kind: 'configMapKeyRef' | 'secretKeyRef', name: string, key: string) => ({
  env: [{ name: 'URL', valueFrom: { [kind]: { name, key } } }],
});
const NEEDS_KEY = workload({ container: keyRef('configMapKeyRef', 'settings', 'url') });
const mounts = (volume: object) =>
  workload({
    containers: [container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
    pod: { volumes: [{ name: 'v', ...volume }] },
  });

export const CONFIG_CASES: readonly Case[] = [
  {
    name: 'config-map-missing',
    role: 'stall',
    manifest: [workload({ container: { envFrom: [{ configMapRef: { name: 'settings' } }] } })],
    expected: { verdict: 'stalled', cause: 'ConfigMissing', within: 45 },
  },
  {
    name: 'config-map-key-missing-update',
    role: 'stall',
    setup: [create(object('v1', 'ConfigMap', 'settings', { data: { other: '1' } }))],
    before: [workload()],
    manifest: [NEEDS_KEY],
    expected: { verdict: 'stalled', cause: 'ConfigMissing', within: 45 },
  },
  {
    name: 'config-map-comes',
    role: 'twin',
    manifest: [NEEDS_KEY],
    during: [comes('ConfigMap', 'settings', { url: 'x' }, 15)],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'secret-is-made-by-a-job',
    role: 'twin',
    manifest: [
      job({}, { command: ['sleep', '75'] }),
      workload({ container: keyRef('secretKeyRef', 'database', 'password') }),
    ],
    during: [comes('Secret', 'database', { password: 'x' }, 65)],
    expected: { verdict: 'succeeded', cause: '', within: 110 },
  },
  {
    name: 'secret-missing',
    role: 'stall',
    manifest: [workload({ container: keyRef('secretKeyRef', 'database', 'password') })],
    expected: { verdict: 'stalled', cause: 'ConfigMissing', within: 45 },
  },
  {
    name: 'secret-volume-missing',
    role: 'stall',
    manifest: [mounts({ secret: { secretName: 'app-tls' } })],
    expected: { verdict: 'stalled', cause: 'ConfigMissing', within: 45 },
  },
  {
    name: 'secret-volume-comes',
    role: 'twin',
    manifest: [mounts({ secret: { secretName: 'app-tls' } })],
    during: [comes('Secret', 'app-tls', { key: 'x' }, 12)],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'config-map-volume-key-missing',
    role: 'stall',
    setup: [create(object('v1', 'ConfigMap', 'settings', { data: { other: '1' } }))],
    manifest: [mounts({ configMap: { name: 'settings', items: [{ key: 'app.yaml', path: 'app.yaml' }] } })],
    expected: { verdict: 'stalled', cause: 'ConfigMissing', within: 45 },
  },
  {
    name: 'second-of-two-config-maps-lacks-the-key',
    role: 'stall',
    setup: ['first', 'second'].map((name) =>
      create(object('v1', 'ConfigMap', name, { data: name === 'first' ? { 'app.yaml': 'a: 1' } : { other: '1' } })),
    ),
    manifest: [
      workload({
        containers: [
          container({
            volumeMounts: ['first', 'second'].map((name) => ({ name, mountPath: `/etc/${name}` })),
          }),
        ],
        pod: {
          volumes: ['first', 'second'].map((name) => ({
            name,
            configMap: { name, items: [{ key: 'app.yaml', path: 'app.yaml' }] },
          })),
        },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'ConfigMissing', within: 45 },
  },
  {
    name: 'config-map-mounted-over-a-file',
    role: 'stall',
    setup: [create(object('v1', 'ConfigMap', 'settings', { data: { 'app.yaml': 'a: 1' } }))],
    manifest: [
      workload({
        containers: [container({ volumeMounts: [{ name: 'v', mountPath: '/etc/passwd' }] })],
        pod: { volumes: [{ name: 'v', configMap: { name: 'settings' } }] },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'StartFailed', within: 30 },
  },
  {
    name: 'run-as-non-root',
    role: 'stall',
    manifest: [workload({ container: { securityContext: { runAsNonRoot: true } } })],
    expected: { verdict: 'stalled', cause: 'ContainerConfigInvalid', within: 30 },
  },
  {
    name: 'run-as-non-root-update',
    role: 'stall',
    before: [workload({ replicas: 2 })],
    manifest: [workload({ replicas: 2, pod: { securityContext: { runAsNonRoot: true } } })],
    expected: { verdict: 'stalled', cause: 'ContainerConfigInvalid', within: 30 },
  },
];
