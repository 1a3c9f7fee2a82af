import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { app, documents, type GateRun, gate, kubectl, REGISTRY, skip, startGate } from './cluster.ts';

const QUICK = { 'stable-for': '2s' } as const;
const BACK = { ...QUICK, 'on-stall': 'rollback' } as const;

async function inNamespace(name: string, body: (namespace: string) => Promise<void>): Promise<void> {
  const namespace = `rb-${name}-${Math.random().toString(36).slice(2, 7)}`;
  await kubectl(['create', 'namespace', namespace]);
  try {
    await body(namespace);
  } finally {
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
  }
}

function image(tag: string) {
  return { image: `${REGISTRY}/${tag}` };
}

function config(namespace: string, value: string, name = 'settings'): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { MODE: value } });
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

interface Live {
  readonly metadata: { readonly generation: number; readonly managedFields: readonly Entry[] };
  readonly spec: { readonly replicas: number };
  readonly data?: unknown;
}

async function read(namespace: string, object: string): Promise<Live> {
  return JSON.parse(await kubectl(['get', object, '-n', namespace, '-o', 'json', '--show-managed-fields'])) as Live;
}

/** What is asked for and who owns it, without what the controllers report. */
function asked({ spec, data, metadata }: Live): string {
  const owners = metadata.managedFields
    .filter((entry) => entry.subresource === undefined)
    .map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]);
  return JSON.stringify([spec, data, owners]);
}

function expect(run: GateRun, outcome: string, verdict = 'stalled'): void {
  assert.equal(run.outputs['rollback'], outcome, `${JSON.stringify(run.report.rollback)}\n${run.log}`);
  assert.equal(run.outputs['verdict'], verdict, run.log);
  assert.equal(run.code, 1, run.log);
  assert.equal(run.report.rollback?.outcome, outcome);
  console.log(`${outcome}: ${run.report.rollback?.reason}`);
}

async function expectNothingToChange(manifest: string): Promise<void> {
  const plan = await gate(manifest, { mode: 'plan' });
  assert.deepEqual(
    plan.report.changes.filter((change) => change.action !== 'unchanged'),
    [],
    plan.log,
  );
}

const scenarios: { readonly name: string; readonly body: (namespace: string) => Promise<void> }[] = [
  {
    name: 'an image that does not exist is rolled back, and the old manifest changes nothing then',
    body: async (namespace) => {
      const old = app(namespace, { replicas: 2 });
      assert.equal((await gate(old, QUICK)).code, 0);
      const before = await read(namespace, 'deployment/web');
      const run = await gate(app(namespace, { replicas: 2, container: image('app:nope') }), BACK);
      expect(run, 'rolled-back');
      assert.equal(run.outputs['cause'], 'ImageNotFound');
      assert.match(run.summary, /Rolled back/);
      assert.equal(asked(await read(namespace, 'deployment/web')), asked(before));
      await expectNothingToChange(old);
    },
  },
  {
    name: 'what kubectl applied from the client belongs to kubectl again',
    body: async (namespace) => {
      await kubectl(['apply', '-f', '-'], app(namespace));
      await kubectl(['rollout', 'status', 'deployment/web', '-n', namespace, '--timeout=60s']);
      const before = await read(namespace, 'deployment/web');
      expect(await gate(app(namespace, { container: image('app:nope') }), BACK), 'rolled-back');
      assert.equal(asked(await read(namespace, 'deployment/web')), asked(before));
    },
  },
  {
    name: 'configuration goes back, what was created goes away, with Recreate',
    body: async (namespace) => {
      const web = (mode: string, container: object = {}) =>
        app(namespace, {
          container: { envFrom: [{ configMapRef: { name: 'settings' } }], ...container },
          pod: { tolerations: [{ key: `mode-${mode}`, operator: 'Exists' }] },
          spec: { strategy: { type: 'Recreate' } },
        });
      const old = documents(config(namespace, 'good'), web('good'));
      assert.equal((await gate(old, QUICK)).code, 0);
      const before = [await read(namespace, 'deployment/web'), await read(namespace, 'configmap/settings')].map(asked);
      const bad = web('bad', image('app:unhealthy'));
      const run = await gate(documents(config(namespace, 'bad'), config(namespace, 'x', 'extra'), bad), BACK);
      expect(run, 'rolled-back');
      const after = [await read(namespace, 'deployment/web'), await read(namespace, 'configmap/settings')].map(asked);
      assert.deepEqual(after, before);
      assert.equal(await kubectl(['get', 'configmap/extra', '-n', namespace, '--ignore-not-found']), '');
      await expectNothingToChange(old);
    },
  },
  {
    name: 'a first deploy keeps its objects',
    body: async (namespace) => {
      expect(await gate(app(namespace, { container: image('app:nope') }), BACK), 'none');
      await read(namespace, 'deployment/web');
    },
  },
  {
    name: 'a state that was not ready before is no state to go back to',
    body: async (namespace) => {
      assert.equal((await gate(app(namespace, { container: image('app:nope') }), QUICK)).code, 1);
      expect(await gate(app(namespace, { container: image('app:neither') }), BACK), 'refused');
      assert.match(asked(await read(namespace, 'deployment/web')), /app:neither/);
    },
  },
  {
    name: 'what somebody else changed in between is not overwritten',
    body: async (namespace) => {
      const old = documents(config(namespace, 'good'), app(namespace));
      assert.equal((await gate(old, QUICK)).code, 0);
      const bad = documents(config(namespace, 'bad'), app(namespace, { container: image('app:nope') }));
      const running = await startGate(bad, BACK);
      await running.logged(/changed Deployment\/web/);
      await kubectl(['patch', 'configmap/settings', '-n', namespace, '-p', '{"data":{"OTHER":"mine"}}']);
      const run = await running.result;
      expect(run, 'refused');
      assert.match(run.report.rollback?.reason ?? '', /kubectl-patch/);
      assert.match(asked(await read(namespace, 'configmap/settings')), /"MODE":"bad","OTHER":"mine"/);
      assert.match(asked(await read(namespace, 'deployment/web')), /app:nope/);
    },
  },
  {
    name: 'replicas that an autoscaler set are left alone',
    body: async (namespace) => {
      assert.equal((await gate(app(namespace), QUICK)).code, 0);
      await kubectl(['autoscale', 'deployment/web', '-n', namespace, '--min=1', '--max=3']);
      const running = await startGate(app(namespace, { container: image('app:nope') }), BACK);
      await running.logged(/changed Deployment\/web/);
      await kubectl(['scale', 'deployment/web', '-n', namespace, '--replicas=2']);
      expect(await running.result, 'rolled-back');
      assert.equal((await read(namespace, 'deployment/web')).spec.replicas, 2);
    },
  },
];

describe('rollback', { skip, concurrency: 3 }, () => {
  for (const [index, { name, body }] of scenarios.entries()) test(name, () => inNamespace(`${index}`, body));
});
