import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { app, documents, type GateRun, gate, inNamespace, kubectl, REGISTRY, skip, startGate } from './cluster.ts';

const QUICK = { 'stable-for': '2s' } as const;

function expect(run: GateRun, verdict: string, cause = ''): void {
  assert.equal(
    `${run.outputs['verdict']} ${run.outputs['cause']}`.trim(),
    `${verdict} ${cause}`.trim(),
    `${run.outputs['reason']}\n${run.log}`,
  );
  const failing = ['stalled', 'timed-out', 'rejected'].includes(verdict);
  assert.equal(run.code, failing ? 1 : 0, run.log);
  assert.equal(run.report.verdict, verdict);
  assert.ok(run.summary.includes(failing ? '❌' : verdict === 'succeeded' ? '✅' : '⚠️'), run.summary);
}

interface Scenario {
  readonly name: string;
  readonly body: (namespace: string) => Promise<void>;
}

const scenarios: Scenario[] = [];

function scenario(name: string, body: Scenario['body']): void {
  scenarios.push({ name, body });
}

function image(tag: string) {
  return { image: `${REGISTRY}/${tag}` };
}

scenario('first deploy, unchanged re-run, update', async (namespace) => {
  const first = await gate(app(namespace, { replicas: 2 }), QUICK);
  expect(first, 'succeeded');
  assert.equal(first.outputs['ready'], '2/2');
  assert.equal(first.report.changes[0]?.action, 'created');

  const again = await gate(app(namespace, { replicas: 2 }), QUICK);
  expect(again, 'succeeded');
  assert.equal(again.report.changes[0]?.action, 'unchanged');
  assert.equal(again.report.workloads[0]?.revision, first.report.workloads[0]?.revision);

  const update = await gate(app(namespace, { replicas: 2, container: image('app:v2') }), QUICK);
  expect(update, 'succeeded');
  assert.deepEqual(
    update.report.changes[0]?.fields.map((field) => field.path),
    ['spec.template.spec.containers[app].image'],
  );
  assert.notEqual(update.report.workloads[0]?.revision, first.report.workloads[0]?.revision);
});

scenario('update to an image that does not exist', async (namespace) => {
  expect(await gate(app(namespace, { replicas: 2 }), QUICK), 'succeeded');
  const run = await gate(app(namespace, { replicas: 2, container: image('app:nope') }), QUICK);
  expect(run, 'stalled', 'ImageNotFound');
  assert.ok((run.report.workloads[0]?.seconds ?? 999) <= 45, `${run.report.workloads[0]?.seconds} s`);
  const serving = await kubectl([
    'get',
    'deployment',
    'web',
    '-n',
    namespace,
    '-o',
    'jsonpath={.status.availableReplicas}',
  ]);
  assert.equal(serving, '2', 'the old pods keep serving');
});

scenario('image that appears 20 s late', async (namespace) => {
  expect(await gate(app(namespace, { container: image(`missing20/app:t${Date.now()}`) }), QUICK), 'succeeded');
});

scenario('six replicas of which four fit', async (namespace) => {
  const nodes = JSON.parse(await kubectl(['get', 'nodes', '-o', 'json'])) as {
    items: { metadata: { name: string }; status: { allocatable: { cpu: string } } }[];
  };
  const pods = JSON.parse(await kubectl(['get', 'pods', '-A', '-o', 'json'])) as {
    items: { spec: { nodeName?: string; containers: { resources?: { requests?: { cpu?: string } } }[] } }[];
  };
  const node = nodes.items[0];
  assert.ok(node !== undefined);
  const millis = (cpu: string) => (cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1000);
  const used = pods.items
    .filter((pod) => pod.spec.nodeName === node.metadata.name)
    .flatMap((pod) => pod.spec.containers.map((container) => millis(container.resources?.requests?.cpu ?? '0')));
  const free = millis(node.status.allocatable.cpu) - used.reduce((sum, each) => sum + each, 0);
  const manifest = app(namespace, {
    replicas: 6,
    container: { resources: { requests: { cpu: `${Math.floor(free / 4.4)}m` } } },
    pod: { nodeSelector: { 'kubernetes.io/hostname': node.metadata.name } },
    spec: { progressDeadlineSeconds: 120 },
  });
  const run = await gate(manifest, QUICK);
  expect(run, 'stalled', 'CapacityInsufficient');
  assert.equal(run.outputs['ready'], '4/6');
  const groups = new Set(run.report.workloads[0]?.signals.map((signal) => signal.group));
  assert.deepEqual([...groups].sort(), ['application', 'cluster']);
  assert.match(run.report.workloads[0]?.moreReplicas ?? '', /^No/);
});

scenario('request that no node can hold', async (namespace) => {
  const run = await gate(app(namespace, { container: { resources: { requests: { cpu: '900' } } } }), QUICK);
  expect(run, 'stalled', 'CapacityInsufficient');
  assert.ok((run.report.workloads[0]?.seconds ?? 999) <= 3, `${run.report.workloads[0]?.seconds} s`);
});

const READINESS = {
  readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1, failureThreshold: 3 },
} as const;

scenario('readiness that answers 404', async (namespace) => {
  expect(
    await gate(app(namespace, { container: { ...image('app:unhealthy'), ...READINESS } }), QUICK),
    'stalled',
    'ReadinessNeverPasses',
  );
});

scenario('warm-up of 40 s that answers 404', async (namespace) => {
  const warm = { ...READINESS, env: [{ name: 'READY_AFTER', value: '40' }] };
  expect(await gate(app(namespace, { container: warm }), QUICK), 'succeeded');
});

scenario('crash loop', async (namespace) => {
  const command = ['sh', '-c', 'echo migration 42 failed: column missing; exit 3'];
  const run = await gate(app(namespace, { container: { ...image('busybox:1'), command } }), QUICK);
  expect(run, 'stalled', 'CrashLoop');
  assert.match(run.outputs['reason'] ?? '', /exit code 3.*migration 42 failed/);
  assert.ok(
    run.report.workloads[0]?.logs.some((log) => log.lines.some((line) => line.includes('migration 42 failed'))),
  );
  assert.ok((run.report.workloads[0]?.seconds ?? 999) <= 45, `${run.report.workloads[0]?.seconds} s`);
});

scenario('crashes that heal at the third start', async (namespace) => {
  const container = {
    env: [{ name: 'FAIL_FIRST', value: '2' }],
    volumeMounts: [{ name: 'state', mountPath: '/state' }],
  };
  expect(
    await gate(app(namespace, { container, pod: { volumes: [{ name: 'state', emptyDir: {} }] } }), QUICK),
    'succeeded',
  );
});

scenario('out of memory', async (namespace) => {
  const container = { env: [{ name: 'MEMORY_MB', value: '200' }], resources: { limits: { memory: '32Mi' } } };
  const run = await gate(app(namespace, { container }), QUICK);
  expect(run, 'stalled', 'OutOfMemory');
  assert.match(run.outputs['reason'] ?? '', /32Mi/);
});

const NEEDS_KEY = { env: [{ name: 'URL', valueFrom: { configMapKeyRef: { name: 'settings', key: 'url' } } }] } as const;

scenario('missing ConfigMap key', async (namespace) => {
  await kubectl(['create', 'configmap', 'settings', '-n', namespace, '--from-literal=other=1']);
  const run = await gate(app(namespace, { container: NEEDS_KEY }), QUICK);
  expect(run, 'stalled', 'ConfigMissing');
  assert.match(run.outputs['reason'] ?? '', /"settings" has no key "url"/);
});

scenario('ConfigMap key that is created late', async (namespace) => {
  await kubectl(['create', 'configmap', 'settings', '-n', namespace, '--from-literal=other=1']);
  const running = await startGate(app(namespace, { container: NEEDS_KEY }), QUICK);
  await running.logged(/ConfigMissing/);
  await kubectl(['patch', 'configmap', 'settings', '-n', namespace, '--type=merge', '-p', '{"data":{"url":"x"}}']);
  expect(await running.result, 'succeeded');
});

scenario('quota', async (namespace) => {
  await kubectl(['create', 'quota', 'small', '-n', namespace, '--hard=pods=2']);
  const run = await gate(app(namespace, { replicas: 4 }), QUICK);
  expect(run, 'stalled', 'QuotaExceeded');
  assert.match(run.outputs['reason'] ?? '', /small/);
});

scenario('refused at the dry run: nothing is applied', async (namespace) => {
  const good = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'good', namespace }, data: {} });
  const bad = app(namespace, { container: { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } } });
  const run = await gate(documents(good, bad), QUICK);
  expect(run, 'rejected');
  assert.match(run.outputs['reason'] ?? '', /must be less than or equal to cpu limit/);
  const left = await kubectl(['get', 'configmap', 'good', '-n', namespace, '--ignore-not-found', '-o', 'name']);
  assert.equal(left, '');
});

scenario('two Deployments of which one stalls', async (namespace) => {
  const run = await gate(
    documents(app(namespace), app(namespace, { name: 'worker', container: image('app:nope') })),
    QUICK,
  );
  expect(run, 'stalled', 'ImageNotFound');
  assert.deepEqual(
    run.report.workloads.map((each) => `${each.name} ${each.verdict}`),
    ['web succeeded', 'worker stalled'],
  );
});

scenario('conflict with another manager', async (namespace) => {
  await kubectl(['apply', '--server-side', '--field-manager=argo', '-f', '-'], app(namespace, { replicas: 1 }));
  const run = await gate(app(namespace, { replicas: 3 }), QUICK);
  expect(run, 'rejected');
  assert.match(run.outputs['reason'] ?? '', /argo/);
  assert.equal(await kubectl(['get', 'deployment', 'web', '-n', namespace, '-o', 'jsonpath={.spec.replicas}']), '1');
  expect(await gate(app(namespace, { replicas: 3 }), { ...QUICK, 'force-conflicts': 'true' }), 'succeeded');
});

const SLOW = { ...READINESS, env: [{ name: 'READY_AFTER', value: '25' }] } as const;

async function interrupted(namespace: string, change: readonly string[]): Promise<GateRun> {
  const running = await startGate(app(namespace, { container: SLOW }), QUICK);
  await running.logged(/0\/1 ready/);
  await kubectl([...change, '-n', namespace]);
  return running.result;
}

scenario('someone else changes the template', async (namespace) => {
  const run = await interrupted(namespace, ['set', 'image', 'deployment/web', `app=${REGISTRY}/app:v2`]);
  expect(run, 'superseded', 'Superseded');
  assert.match(run.outputs['reason'] ?? '', /kubectl-set/);
});

scenario('someone else scales', async (namespace) => {
  const run = await interrupted(namespace, ['scale', 'deployment/web', '--replicas=2']);
  expect(run, 'succeeded');
  assert.equal(run.outputs['ready'], '2/2');
});

scenario('someone else pauses', async (namespace) => {
  expect(await interrupted(namespace, ['rollout', 'pause', 'deployment/web']), 'superseded', 'Paused');
});

scenario('someone else deletes', async (namespace) => {
  expect(await interrupted(namespace, ['delete', 'deployment/web', '--wait=false']), 'superseded', 'Superseded');
});

scenario('a good update over a broken one past its deadline', async (namespace) => {
  const spec = { progressDeadlineSeconds: 8 };
  expect(await gate(app(namespace, { spec }), QUICK), 'succeeded');
  const broken = await gate(app(namespace, { spec, container: image('app:nope') }), { ...QUICK, patience: 'deadline' });
  expect(broken, 'timed-out', 'ImageNotFound');
  expect(await gate(app(namespace, { spec, container: image('app:v2') }), QUICK), 'succeeded');
});

scenario('back to the template before, with Recreate, after a deadline', async (namespace) => {
  const spec = { progressDeadlineSeconds: 8, strategy: { type: 'Recreate' } };
  expect(await gate(app(namespace, { spec }), QUICK), 'succeeded');
  expect(
    await gate(app(namespace, { spec, container: image('app:nope') }), { ...QUICK, patience: 'deadline' }),
    'timed-out',
    'ImageNotFound',
  );
  expect(await gate(app(namespace, { spec }), QUICK), 'succeeded');
});

scenario('a manifest that creates its own namespace', async (namespace) => {
  const own = `${namespace}-own`;
  const object = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: own } });
  try {
    expect(await gate(documents(app(own), object), QUICK), 'succeeded');
  } finally {
    await kubectl(['delete', 'namespace', own, '--wait=false', '--ignore-not-found']);
  }
});

scenario('a service account that may apply and not look', async (namespace) => {
  const run = await gate(app(namespace), { ...QUICK, kubeconfig: await limitedKubeconfig(namespace) });
  expect(run, 'succeeded');
  assert.ok(
    run.report.notices.some((notice) => /watch|poll/.test(notice)),
    run.report.notices.join('\n'),
  );
});

scenario('the rights of docs/rights.md suffice', async (namespace) => {
  const docs = await readFile(path.resolve(import.meta.dirname, '../../docs/rights.md'), 'utf8');
  const [role = '', clusterRole = '', rollback = ''] = [...docs.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(
    (match) => match[1] ?? '',
  );
  await kubectl(['create', 'serviceaccount', 'deployer', '-n', namespace]);
  await kubectl(['apply', '-f', '-'], role.replace('NAMESPACE', namespace));
  await kubectl([
    'create',
    'rolebinding',
    'gate',
    '-n',
    namespace,
    '--role=rollout-gate',
    `--serviceaccount=${namespace}:deployer`,
  ]);
  await kubectl(['apply', '-f', '-'], clusterRole.replace('rollout-gate-capacity', namespace));
  await kubectl([
    'create',
    'clusterrolebinding',
    namespace,
    `--clusterrole=${namespace}`,
    `--serviceaccount=${namespace}:deployer`,
  ]);
  try {
    const kubeconfig = await kubeconfigOf('deployer', namespace);
    expect(await gate(app(namespace), { ...QUICK, kubeconfig }), 'succeeded');
    const run = await gate(app(namespace, { container: { resources: { requests: { cpu: '900' } } } }), {
      ...QUICK,
      kubeconfig,
    });
    expect(run, 'stalled', 'CapacityInsufficient');
    assert.deepEqual(run.report.notices, []);
    const unseen = run.report.workloads[0]?.signals.filter((signal) => signal.value.includes('not allowed'));
    assert.deepEqual(unseen, []);
    await rollBackWith(rollback.replace('NAMESPACE', namespace), kubeconfig, namespace);
  } finally {
    await kubectl(['delete', 'clusterrole,clusterrolebinding', namespace]);
  }
});

/** First without the further rights, which is told before anything is applied; then with them. */
async function rollBackWith(role: string, kubeconfig: string, namespace: string): Promise<void> {
  const inputs = { ...QUICK, kubeconfig, 'on-stall': 'rollback' };
  const without = await gate(app(namespace, { name: 'other' }), inputs);
  assert.match(
    without.log,
    /A rollback could not do all of its work: .*get secrets "rollout-gate-ledger".*delete deployments\.apps/,
  );
  await kubectl(['apply', '-f', '-'], role);
  const binding = ['rolebinding', 'gate-rollback', '-n', namespace];
  await kubectl(['create', ...binding, '--role=rollout-gate-rollback', `--serviceaccount=${namespace}:deployer`]);
  const proven = await gate(app(namespace, { name: 'other' }), inputs);
  expect(proven, 'succeeded');
  assert.deepEqual(proven.report.notices, []);
  const bad = documents(
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra', namespace }, data: {} }),
    app(namespace, { name: 'other', container: { image: `${REGISTRY}/App:Nope` } }),
  );
  const run = await gate(bad, inputs);
  expect(run, 'stalled', 'ImageNameInvalid');
  assert.equal(run.outputs['rollback'], 'rolled-back', run.report.rollback?.reason);
  assert.deepEqual(run.report.notices, []);
}

/** A user who may do what the apply needs, and list but not watch. */
async function limitedKubeconfig(namespace: string): Promise<string> {
  await kubectl(['create', 'serviceaccount', 'deployer', '-n', namespace]);
  const rules = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: deployer, namespace: ${namespace} }
rules:
- { apiGroups: [apps], resources: [deployments], verbs: [get, list, create, patch] }
- { apiGroups: [apps], resources: [replicasets], verbs: [get, list] }
- { apiGroups: [""], resources: [pods], verbs: [get, list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: deployer, namespace: ${namespace} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer }
subjects: [{ kind: ServiceAccount, name: deployer, namespace: ${namespace} }]
`;
  await kubectl(['apply', '-f', '-'], rules);
  return kubeconfigOf('deployer', namespace);
}

async function kubeconfigOf(account: string, namespace: string): Promise<string> {
  const token = (await kubectl(['create', 'token', account, '-n', namespace])).trim();
  const config = JSON.parse(await kubectl(['config', 'view', '--raw', '--minify', '-o', 'json'])) as {
    users: unknown[];
    contexts: { context: { user: string } }[];
  };
  const user = config.contexts[0]?.context.user;
  return JSON.stringify({ ...config, users: [{ name: user, user: { token } }] });
}

describe('on a live cluster', { concurrency: 12, skip }, () => {
  for (const { name, body } of scenarios) {
    const short = name
      .replace(/[^a-z0-9]+/gi, '-')
      .toLowerCase()
      .slice(0, 40);
    test(name, { timeout: 400_000 }, () => inNamespace(short, body));
  }
});
