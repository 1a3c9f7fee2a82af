import type { Step } from '../corpus/case.ts';
import { container, env, image, object, run, type Shape, script, workload } from '../corpus/objects.ts';

/** A deploy that worked, one that stalls, and all is as it was. `NS` in any text stands for the story's own namespace. */
export interface RollbackStory {
  readonly name: string;
  readonly good: readonly string[];
  readonly bad: readonly string[];
  readonly cause: string;
  readonly setup?: readonly Step[];
  /** What others have yet to do to what worked, before the state is taken that has to come back. */
  readonly settled?: readonly Step[];
  readonly inputs?: Readonly<Record<string, string>>;
}

const settings = (values: Readonly<Record<string, string>>) => object('v1', 'ConfigMap', 'settings', { data: values });
const password = (value: string) => object('v1', 'Secret', 'password', { stringData: { PASSWORD: value } });
const service = (port: number) =>
  object('v1', 'Service', 'web', { spec: { selector: { app: 'web' }, ports: [{ port, targetPort: 8080 }] } });

const MISSING = { container: { image: image('app:nope') } } as const;
const CRASHING = script('echo starting; echo "unknown flag: --fast" >&2; exit 2');
const SETTINGS = { envFrom: [{ configMapRef: { name: 'settings' } }] } as const;

/** A pod template that a change of the configuration rolls, as Helm charts and Kustomize do it. */
function rolledBy(checksum: string, shape: Shape = {}): string {
  const object = JSON.parse(workload(shape)) as { spec: { template: { metadata: object } } };
  Object.assign(object.spec.template.metadata, { annotations: { 'checksum/settings': checksum } });
  return JSON.stringify(object);
}

export const STORIES: readonly RollbackStory[] = [
  {
    name: 'image',
    good: [workload({ replicas: 2 })],
    bad: [workload({ replicas: 2, ...MISSING })],
    cause: 'ImageNotFound',
  },
  {
    name: 'one-replica-without-surge',
    good: [workload({ spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } } })],
    bad: [workload({ ...MISSING, spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } } })],
    cause: 'ImageNotFound',
  },
  {
    name: 'crash-with-what-it-brought',
    good: [settings({ MODE: 'good' }), password('old'), service(80), workload()],
    bad: [
      settings({ MODE: 'bad', MORE: 'yes' }),
      password('new'),
      service(81),
      object('v1', 'ConfigMap', 'extra', { data: { made: 'by this run' } }),
      workload({ containers: [CRASHING] }),
    ],
    cause: 'CrashLoop',
  },
  {
    name: 'readiness-with-recreate',
    good: [workload({ spec: { strategy: { type: 'Recreate' } } })],
    bad: [workload({ container: { image: image('app:unhealthy') }, spec: { strategy: { type: 'Recreate' } } })],
    cause: 'ReadinessNeverPasses',
  },
  {
    name: 'configuration-only',
    good: [settings({ READY_AFTER: '0' }), rolledBy('good', { container: SETTINGS })],
    bad: [settings({ READY_AFTER: '600' }), rolledBy('bad', { container: SETTINGS })],
    cause: 'ReadinessNeverPasses',
  },
  {
    name: 'quota',
    setup: [run('create', 'quota', 'small', '--hard=pods=5')],
    good: [workload({ replicas: 2 })],
    bad: [workload({ replicas: 7, container: env({ MORE: 'yes' }) })],
    cause: 'QuotaExceeded',
  },
  {
    name: 'autoscaled',
    good: [
      workload({ spec: { replicas: undefined } }),
      object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', {
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 2,
          maxReplicas: 3,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          ],
        },
      }),
    ],
    settled: [
      run('wait', 'deployment/web', '--for=jsonpath={.spec.replicas}=2', '--timeout=60s'),
      run('rollout', 'status', 'deployment/web', '--timeout=60s'),
    ],
    bad: [workload({ ...MISSING, spec: { replicas: undefined } })],
    cause: 'ImageNotFound',
  },
  {
    name: 'stateful-set-that-traps',
    good: [workload({ kind: 'StatefulSet', replicas: 2 })],
    bad: [workload({ kind: 'StatefulSet', replicas: 2, ...MISSING })],
    inputs: { 'unstick-statefulsets': 'true' },
    cause: 'ImageNotFound',
  },
  {
    name: 'daemon-set',
    good: [workload({ kind: 'DaemonSet' })],
    bad: [workload({ kind: 'DaemonSet', containers: [CRASHING] })],
    cause: 'CrashLoop',
  },
  {
    name: 'two-workloads-of-which-one-fails',
    good: [workload({ name: 'api' }), workload()],
    bad: [workload({ name: 'api', container: { image: image('app:v2') } }), workload(MISSING)],
    cause: 'ImageNotFound',
  },
  {
    name: 'init-container',
    good: [workload()],
    bad: [workload({ init: [{ ...CRASHING, name: 'migrate' }], containers: [container()] })],
    cause: 'InitContainerFailed',
  },
];
