import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lookup } from '../../src/rollout/view.ts';
import { cluster, complete, deployment, warningsOf } from './scenes.ts';
import { type Row, table } from './table.ts';

const env = (source: string) => deployment(`env: [{name: A, valueFrom: {${source}}}]`);
const volume = (source: string) => deployment('', '', `volumes: [{name: v, ${source}}]`);
const configMap = (name: string, data = '{a: "1"}') =>
  `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: ${data}\n`;
const withKeys = (...keys: readonly string[]) =>
  cluster({ existing: ['ConfigMap/c'], 'config-map': { data: Object.fromEntries(keys.map((key) => [key, ''])) } });
const custom = (group: string, kind: string, name: string, spec = '{}') =>
  `---\napiVersion: ${group}/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

const MISSING: readonly Row[] = (
  [
    ['a ConfigMap of a variable', env('configMapKeyRef: {name: c, key: a}'), 'ConfigMissing', 'ConfigMap "c"'],
    ['a Secret of a variable', env('secretKeyRef: {name: s, key: a}'), 'ConfigMissing', 'Secret "s"'],
    [
      'a ConfigMap of all variables',
      deployment('envFrom: [{configMapRef: {name: c}}]'),
      'ConfigMissing',
      'ConfigMap "c"',
    ],
    ['a Secret of all variables', deployment('envFrom: [{secretRef: {name: s}}]'), 'ConfigMissing', 'Secret "s"'],
    ['a ConfigMap of a volume', volume('configMap: {name: c}'), 'ConfigMissing', 'volume "v"'],
    ['a Secret of a volume', volume('secret: {secretName: s}'), 'ConfigMissing', 'Secret "s"'],
    ['a projected Secret', volume('projected: {sources: [{secret: {name: s}}]}'), 'ConfigMissing', 'Secret "s"'],
    [
      'a Secret of a CSI volume',
      volume('csi: {driver: d, nodePublishSecretRef: {name: s}}'),
      'ConfigMissing',
      'Secret "s"',
    ],
    ['a claim', volume('persistentVolumeClaim: {claimName: p}'), 'VolumeUnbound', 'PersistentVolumeClaim "p"'],
    [
      'a ServiceAccount',
      deployment('', '', 'serviceAccountName: bot'),
      'ServiceAccountMissing',
      'ServiceAccount "bot"',
    ],
    ['a PriorityClass', deployment('', '', 'priorityClassName: top'), 'AdmissionDenied', 'PriorityClass "top"'],
    ['a RuntimeClass', deployment('', '', 'runtimeClassName: rc'), 'AdmissionDenied', 'RuntimeClass "rc"'],
    [
      'a pull secret',
      deployment('', '', 'imagePullSecrets: [{name: pull}]'),
      'ImageUnauthorized',
      'goes on without it',
    ],
    [
      'a Secret of an init container',
      deployment('', '', 'initContainers: [{name: i, image: i, envFrom: [{secretRef: {name: s}}]}]'),
      'ConfigMissing',
      'init container "i"',
    ],
  ] as const
).map(([what, yaml, code, words]) => [what, { yaml }, [code, new RegExp(words)]]);

table('references that are missing', MISSING);
table(
  'references that the cluster has',
  MISSING.map(([what, { yaml }]) => [
    what,
    {
      yaml,
      answer: cluster({
        existing: [
          'ConfigMap/c',
          'Secret/s',
          'PersistentVolumeClaim/p',
          'ServiceAccount/bot',
          'PriorityClass/top',
          'RuntimeClass/rc',
          'Secret/pull',
        ],
      }),
    },
  ]),
);
table(
  'references that may not be read',
  MISSING.map(([what, { yaml }]) => [what, { yaml, answer: () => null }]),
);

table('references', [
  ['one that is optional', { yaml: env('configMapKeyRef: {name: c, key: a, optional: true}') }],
  ['a volume that is optional', { yaml: volume('secret: {secretName: s, optional: true}') }],
  ['the manifest has it', { yaml: env('configMapKeyRef: {name: c, key: a}') + configMap('c') }],
  [
    'the manifest has it under another name',
    { yaml: env('configMapKeyRef: {name: c, key: a}') + configMap('d') },
    ['ConfigMissing', /the manifest has d/],
  ],
  [
    'the manifest has it without the key',
    { yaml: env('configMapKeyRef: {name: c, key: b}') + configMap('c') },
    ['ConfigMissing', /ConfigMap "c" has no key "b"/],
  ],
  ['the cluster has it with the key', { yaml: env('configMapKeyRef: {name: c, key: a}'), answer: withKeys('a') }],
  [
    'the cluster has it without the key',
    { yaml: env('configMapKeyRef: {name: c, key: a}'), answer: withKeys('b') },
    ['ConfigMissing', /has no key "a"/],
  ],
  [
    'an item of a volume',
    { yaml: volume('configMap: {name: c, items: [{key: a, path: a}, {key: b, path: b}]}'), answer: withKeys('b') },
    ['ConfigMissing', /no key "a", which the volume "v" needs: the pod cannot start/],
  ],
  [
    'an empty Secret that something else fills',
    { yaml: `${env('secretKeyRef: {name: s, key: a}')}---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n` },
  ],
  [
    'a key that this apply takes out',
    {
      yaml: env('configMapKeyRef: {name: c, key: app.yaml}') + configMap('c'),
      live: { 'ConfigMap/c': { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { a: '1', 'app.yaml': '2' } } },
      changes: { 'ConfigMap/c': [{ path: 'data[app.yaml]', from: '2', to: undefined }] },
    },
    ['ConfigMissing', /no key "app\.yaml"/],
  ],
  [
    'a key that somebody else keeps in it',
    {
      yaml: env('configMapKeyRef: {name: c, key: b}') + configMap('c'),
      live: { 'ConfigMap/c': { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { a: '1', b: '2' } } },
    },
  ],
  [
    'what every namespace has',
    { yaml: deployment('envFrom: [{configMapRef: {name: kube-root-ca.crt}}]', '', 'serviceAccountName: default') },
  ],
  [
    'an ExternalSecret makes it',
    {
      yaml:
        env('secretKeyRef: {name: s, key: a}') +
        custom('external-secrets.io', 'ExternalSecret', 'x', '{target: {name: s}}'),
    },
  ],
  [
    'a database operator makes it',
    { yaml: env('secretKeyRef: {name: db-app, key: a}') + custom('postgresql.cnpg.io', 'Cluster', 'db') },
  ],
  [
    'a monitor of the same name makes nothing',
    { yaml: env('secretKeyRef: {name: web-db, key: a}') + custom('monitoring.coreos.com', 'ServiceMonitor', 'web') },
    ['ConfigMissing', /web-db/],
  ],
  [
    'a Job is told its name',
    {
      yaml: `${env('secretKeyRef: {name: web-tls, key: a}')}---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: certs}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: c, args: [create, --secret-name=web-tls]}]}}}\n`,
    },
  ],
  [
    'a longer name is another one',
    {
      yaml: `${env('secretKeyRef: {name: web, key: a}')}---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: certs}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: c, args: [--secret-name=web-tls]}]}}}\n`,
    },
    ['ConfigMissing', /Secret "web"/],
  ],
  [
    'a Service that is given a serving certificate',
    {
      yaml: `${volume('secret: {secretName: web-tls}')}---\napiVersion: v1\nkind: Service\nmetadata: {name: web, annotations: {service.beta.openshift.io/serving-cert-secret-name: web-tls}}\nspec: {selector: {app: web}, ports: [{port: 1}]}\n`,
    },
  ],
  [
    'missing for a revision that is ready: the next restart needs it',
    {
      yaml: env('secretKeyRef: {name: s, key: a}'),
      live: { 'Deployment/web': complete(env('secretKeyRef: {name: s, key: a}'), 1) },
    },
    ['ConfigMissing', /s/],
  ],
  [
    'a claim that a StatefulSet of the manifest makes',
    {
      yaml: `${volume('persistentVolumeClaim: {claimName: data-db-0}')}---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: d, image: d}]}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]}\n`,
    },
  ],
  [
    'a CronJob',
    {
      yaml: `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: c, envFrom: [{secretRef: {name: s}}]}]}}}}}\n`,
    },
    ['ConfigMissing', /Secret "s"/],
  ],
  [
    'the same name twice in a workload is said once',
    {
      yaml: deployment(
        'env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: a}}}, {name: B, valueFrom: {secretKeyRef: {name: s, key: a}}}]',
      ),
    },
    ['ConfigMissing', /s/],
  ],
]);

const CLAIM = (className: string) =>
  `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p}\nspec: {accessModes: [ReadWriteMany], storageClassName: ${className}}\n`;

table('storage classes', [
  ['one that is not there', { yaml: CLAIM('fast') }, ['VolumeUnbound', /StorageClass "fast"/]],
  ['one that is there', { yaml: CLAIM('fast'), answer: cluster({ existing: ['StorageClass/fast'] }) }],
  ['none wanted', { yaml: CLAIM('""') }],
  [
    'a volume of the manifest has that class',
    {
      yaml: `${CLAIM('manual')}---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv}\nspec: {storageClassName: manual}\n`,
    },
  ],
  [
    'a claim that is bound',
    {
      yaml: CLAIM('gone'),
      live: {
        'PersistentVolumeClaim/p': {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: {},
          status: { phase: 'Bound' },
        },
      },
    },
  ],
]);

test('a Secret of the cluster is asked for by its existence alone', () => {
  const asked: Lookup[] = [];
  const answer = (lookup: Lookup) => {
    asked.push(lookup);
    return cluster({ existing: ['Secret/s'] })(lookup);
  };
  warningsOf({
    yaml:
      env('secretKeyRef: {name: s, key: a}') +
      volume('secret: {secretName: s, items: [{key: b, path: b}]}').replace(/^/, '---\n').replaceAll('web', 'api'),
    answer,
  });
  assert.ok(asked.some((lookup) => lookup.kind === 'exists' && lookup.ref.kind === 'Secret'));
  assert.ok(asked.every((lookup) => lookup.kind !== 'object' || lookup.ref.kind !== 'Secret'));
});

test('nothing of a namespace that the manifest creates is asked of the cluster', () => {
  const yaml = `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n${env('secretKeyRef: {name: s, key: a}')}${configMap('c')}`;
  const answer = (lookup: Lookup) => {
    assert.ok(
      !('namespace' in lookup) && !('ref' in lookup && lookup.ref.namespace === 'shop'),
      JSON.stringify(lookup),
    );
    return cluster()(lookup);
  };
  assert.deepEqual(
    warningsOf({ yaml, answer }).map(({ code }) => code),
    ['ConfigMissing'],
  );
});

test('a warning stands on the line of its field', () => {
  const [warning] = warningsOf({ yaml: env('configMapKeyRef: {name: c, key: a}') });
  assert.deepEqual(
    [warning?.object, warning?.position?.file, warning?.position?.line],
    ['Deployment/web', 'app.yaml', 12],
  );
});

const POD = '{restartPolicy: Never, containers: [{name: c, image: c, envFrom: [{secretRef: {name: s}}]}]}';
const TEMPLATE = `selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, spec: ${POD}}`;
const KINDS = {
  Deployment: ['apps/v1', `{${TEMPLATE}}`],
  StatefulSet: ['apps/v1', `{${TEMPLATE}}`],
  DaemonSet: ['apps/v1', `{${TEMPLATE}}`],
  ReplicaSet: ['apps/v1', `{${TEMPLATE}}`],
  Job: ['batch/v1', `{${TEMPLATE}}`],
  CronJob: ['batch/v1', `{schedule: "* * * * *", jobTemplate: {spec: {${TEMPLATE}}}}`],
  Pod: ['v1', POD],
} as const;

table(
  'references of every kind',
  Object.entries(KINDS).map(([kind, [apiVersion, spec]]) => [
    kind,
    { yaml: `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: w}\nspec: ${spec}\n` },
    ['ConfigMissing', /Secret "s", which the container "c" needs/],
  ]),
);

table('objects that only sound like workloads', [
  [
    'a Deployment of another group',
    { yaml: `apiVersion: example.com/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {${TEMPLATE}}\n` },
  ],
]);
