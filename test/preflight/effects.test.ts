import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Planned } from '../../src/plan/planned.ts';
import type { Effect } from '../../src/preflight/effect.ts';
import { effectsOf } from '../../src/preflight/effects.ts';
import { complete, deployment, NEW_TEMPLATE, type Situation, sceneOf } from './scenes.ts';

/** What is applied, and what the object named would do to pods; no words: there is nothing to say. */
type Row = readonly [what: string, situation: Situation, title: string, does: Effect['does'], words?: RegExp | string];

function table(group: string, rows: readonly Row[]): void {
  for (const [what, situation, title, does, words = ''] of rows)
    test(`${group}: ${what}`, () => {
      const { objects } = sceneOf(situation);
      const effects = effectsOf(objects);
      assert.equal(effects.length, objects.length);
      const effect = effects[objects.findIndex(({ ref }) => `${ref.kind}/${ref.name}` === title)];
      assert.equal(effect?.does, does, effect?.text);
      if (typeof words === 'string') assert.equal(effect.text, words);
      else assert.match(effect.text, words);
    });
}

const REPLICAS = (from: number | undefined, to: number | undefined): Planned['changes'] => [
  { path: 'spec.replicas', from, to },
];
const RESTARTED: Planned['changes'] = [
  { path: 'spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]', from: undefined, to: 'now' },
];
const ONLY_NOTES = /; only metadata of the template changed$/;

/** An object that the cluster has, with what the apply changes of it. */
function changed(yaml: string, title: string, changes: Planned['changes'] = NEW_TEMPLATE): Situation {
  return { yaml, live: { [title]: complete(yaml, 1) }, changes: { [title]: changes } };
}

const WEB = 'Deployment/web';
const web = (spec: string, changes?: Planned['changes']) => changed(deployment('', spec), WEB, changes);
const rolling = (replicas: number, surge: string, unavailable: string) =>
  `replicas: ${replicas}\n  strategy: {rollingUpdate: {maxSurge: ${surge}, maxUnavailable: ${unavailable}}}`;

table('a Deployment', [
  ['is new', { yaml: deployment('', 'replicas: 3') }, WEB, 'starts', 'starts 3 pods'],
  ['is new, with one pod by default', { yaml: deployment('') }, WEB, 'starts', 'starts 1 pod'],
  ['stays', { yaml: deployment(''), live: { [WEB]: complete(deployment(''), 1) } }, WEB, 'nothing'],
  [
    'changes something that is not of its pods',
    web('', [{ path: 'metadata.labels.a', from: '1', to: '2' }]),
    WEB,
    'nothing',
  ],
  ['rolls', web('replicas: 4'), WEB, 'rolls', 'replaces 4 pods: at least 3 stay available, at most 5 run at once'],
  ['rolls, and one stays', web(rolling(2, '1', '1')), WEB, 'rolls', /at least 1 stays available, at most 3 run/],
  ['may end all', web(rolling(2, '1', '100%')), WEB, 'restarts', /^may end all 2 pods before .*maxUnavailable/],
  ['may not end its only one by default', web(''), WEB, 'rolls', /at least 1 stays available, at most 2 run/],
  [
    'may end its only one where surge and unavailable both come to nothing',
    web(rolling(1, '0', '25%')),
    WEB,
    'restarts',
    /^may end its only pod/,
  ],
  ['is recreated', web('strategy: {type: Recreate}'), WEB, 'restarts', /^ends its only pod before .* nothing serves/],
  [
    'is recreated without pods',
    web('replicas: 0\n  strategy: {type: Recreate}'),
    WEB,
    'waits',
    'has no pod to replace',
  ],
  ['is paused', web('paused: true\n  strategy: {type: Recreate}'), WEB, 'waits', /paused: nothing rolls/],
  ['is not paused', web('paused: false'), WEB, 'rolls', /^replaces/],
  ['is restarted by a note', web('', RESTARTED), WEB, 'rolls', ONLY_NOTES],
  ['changes more than a note', web('', [...RESTARTED, ...NEW_TEMPLATE]), WEB, 'rolls', /at once$/],
  ['scales', web('replicas: 3', REPLICAS(1, 3)), WEB, 'scales', 'scales from 1 to 3'],
  ['scales from the default', web('replicas: 2', REPLICAS(undefined, 2)), WEB, 'scales', 'scales from 1 to 2'],
  [
    'scales and rolls',
    web('replicas: 3', [...REPLICAS(1, 3), ...NEW_TEMPLATE]),
    WEB,
    'rolls',
    /^scales from 1 to 3, and replaces 3 pods:/,
  ],
]);

function kind(apiVersion: string, name: string, spec: string): string {
  return deployment('', spec).replace('apps/v1', apiVersion).replace('kind: Deployment', `kind: ${name}`);
}

const set = (spec: string, changes?: Planned['changes']) =>
  changed(kind('apps/v1', 'StatefulSet', spec), 'StatefulSet/web', changes);
const PARTITION = (partition: number) => `replicas: 3\n  updateStrategy: {rollingUpdate: {partition: ${partition}}}`;

table('a StatefulSet', [
  ['is new', { yaml: kind('apps/v1', 'StatefulSet', 'replicas: 2') }, 'StatefulSet/web', 'starts', 'starts 2 pods'],
  ['rolls', set('replicas: 3'), 'StatefulSet/web', 'rolls', /^replaces 3 pods from the last to the first.*starts$/],
  ['has one pod', set(''), 'StatefulSet/web', 'restarts', /^ends its only pod/],
  ['waits for hands', set('updateStrategy: {type: OnDelete}'), 'StatefulSet/web', 'waits', /deleted by hand/],
  ['is held in part', set(PARTITION(1)), 'StatefulSet/web', 'rolls', /^replaces 2 pods .*below ordinal 1 stay/],
  ['is held whole', set(PARTITION(3)), 'StatefulSet/web', 'waits', 'holds all 3 pods back by its partition 3'],
  ['has no pods', set('replicas: 0'), 'StatefulSet/web', 'waits', 'has no pod to replace'],
  ['is restarted by a note', set('replicas: 2', RESTARTED), 'StatefulSet/web', 'rolls', ONLY_NOTES],
  ['scales', set('replicas: 2', REPLICAS(3, 2)), 'StatefulSet/web', 'scales', 'scales from 3 to 2'],
]);

const daemons = (spec: string, changes?: Planned['changes']) =>
  changed(kind('apps/v1', 'DaemonSet', spec), 'DaemonSet/web', changes);
const SURGE = (surge: string) => `updateStrategy: {rollingUpdate: {maxSurge: ${surge}}}`;

table('a DaemonSet', [
  [
    'is new',
    { yaml: kind('apps/v1', 'DaemonSet', '') },
    'DaemonSet/web',
    'starts',
    'starts a pod on every node that fits',
  ],
  ['rolls', daemons(''), 'DaemonSet/web', 'rolls', /node after node, each without one in between$/],
  ['surges', daemons(SURGE('1')), 'DaemonSet/web', 'rolls', /the new one beside the old one$/],
  ['surges by nothing', daemons(SURGE('"0%"')), 'DaemonSet/web', 'rolls', /each without one in between$/],
  ['waits for hands', daemons('updateStrategy: {type: OnDelete}'), 'DaemonSet/web', 'waits', /deleted by hand/],
  ['stays', daemons('', [{ path: 'spec.minReadySeconds', from: 1, to: 2 }]), 'DaemonSet/web', 'nothing'],
]);

const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: a}]}\n';
const POD_IMAGE: Planned['changes'] = [{ path: 'spec.containers[app].image', from: 'a', to: 'b' }];
const cron = `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web}\nspec: {schedule: '* * * * *'}\n`;

table('what is no Deployment', [
  [
    'a ReplicaSet keeps its pods',
    changed(kind('apps/v1', 'ReplicaSet', 'replicas: 2'), 'ReplicaSet/web'),
    'ReplicaSet/web',
    'waits',
    /only to pods that it makes later/,
  ],
  ['a Job is new', { yaml: kind('batch/v1', 'Job', '') }, 'Job/web', 'starts', 'runs once'],
  ['a Job that is there does not run again', changed(kind('batch/v1', 'Job', ''), 'Job/web'), 'Job/web', 'nothing'],
  ['a CronJob is new', { yaml: cron }, 'CronJob/web', 'nothing'],
  ['a CronJob changes', changed(cron, 'CronJob/web'), 'CronJob/web', 'waits', 'counts from its next run on'],
  ['a Pod is new', { yaml: pod }, 'Pod/web', 'starts', 'starts one pod'],
  ['a Pod has another image', changed(pod, 'Pod/web', POD_IMAGE), 'Pod/web', 'restarts', /changed containers in place/],
  [
    'a Pod has another label',
    changed(pod, 'Pod/web', [{ path: 'metadata.labels.a', from: '', to: 'b' }]),
    'Pod/web',
    'nothing',
  ],
  ['something that only sounds so', changed(kind('example.com/v1', 'Deployment', ''), WEB), WEB, 'nothing'],
]);

const C = 'ConfigMap/c';
const configuration = (name = 'c', ofKind = 'ConfigMap') =>
  `---\napiVersion: v1\nkind: ${ofKind}\nmetadata: {name: ${name}}\ndata: {a: MQ==}\n`;
const NEW_DATA: Planned['changes'] = [{ path: 'data.a', from: 'MA==', to: 'MQ==' }];

/** A workload that stays as it is, beside a ConfigMap or Secret that changes. */
function reading(
  workload: string,
  title = WEB,
  config = configuration(),
  changes: Situation['changes'] = {},
): Situation {
  const name = config.includes('Secret') ? 'Secret/c' : C;
  return {
    yaml: workload + config,
    live: { [title]: complete(workload, 1), [name]: complete(config, 1) },
    changes: { [name]: NEW_DATA, ...changes },
  };
}

const env = deployment('envFrom: [{configMapRef: {name: c}}]');
const mounted = (mount: string, source = 'configMap: {name: c}') =>
  deployment(`volumeMounts: [{name: v, mountPath: /c${mount}}]`, '', `volumes: [{name: v, ${source}}]`);
const DEAF = (how: string) =>
  `is read by Deployment/web (${how}) at its start only, and this apply restarts none of its pods`;
const HEARD = 'reaches the pods of Deployment/web (as files) within a minute or two, without a restart';

table('configuration', [
  ['all variables', reading(env), C, 'waits', DEAF('as environment')],
  [
    'one variable',
    reading(deployment('env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: a}}}]')),
    C,
    'waits',
    DEAF('as environment'),
  ],
  ['a variable of another one', reading(deployment('envFrom: [{configMapRef: {name: d}}]')), C, 'nothing'],
  ['a variable of a Secret of the same name', reading(deployment('envFrom: [{secretRef: {name: c}}]')), C, 'nothing'],
  [
    'a Secret',
    reading(deployment('envFrom: [{secretRef: {name: c}}]'), WEB, configuration('c', 'Secret')),
    'Secret/c',
    'waits',
    DEAF('as environment'),
  ],
  ['files', reading(mounted('')), C, 'nothing', HEARD],
  ['projected files', reading(mounted('', 'projected: {sources: [{configMap: {name: c}}]}')), C, 'nothing', HEARD],
  ['a single file', reading(mounted(', subPath: a')), C, 'waits', DEAF('through subPath')],
  [
    'a volume that nothing mounts',
    reading(deployment('', '', 'volumes: [{name: v, configMap: {name: c}}]')),
    C,
    'nothing',
  ],
  ['a workload that rolls with it', reading(env, WEB, configuration(), { [WEB]: NEW_TEMPLATE }), C, 'nothing'],
  [
    'a workload that only scales with it',
    reading(env, WEB, configuration(), { [WEB]: REPLICAS(1, 2) }),
    C,
    'waits',
    /^is read by/,
  ],
  ['a workload that is new', { ...reading(env), live: { [C]: complete(configuration(), 1) } }, C, 'nothing'],
  ['another namespace', reading(env.replace('name: web}', 'name: web, namespace: other}')), C, 'nothing'],
  [
    'a Job that ends by itself',
    reading(env.replace('apps/v1', 'batch/v1').replace('kind: Deployment', 'kind: Job'), 'Job/web'),
    C,
    'nothing',
  ],
  ['it is new', { ...reading(env), live: { [WEB]: complete(env, 1) } }, C, 'nothing'],
  ['it stays', { ...reading(env), changes: {} }, C, 'nothing'],
]);
