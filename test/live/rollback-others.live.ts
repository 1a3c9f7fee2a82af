import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { app, documents, type GateRun, gate, inNamespace, kubectl, REGISTRY, skip, startGate } from './cluster.ts';
import { expectBack, imageOf, readState } from './namespace-state.ts';

const BACK = { 'stable-for': '1s', 'on-stall': 'rollback' } as const;
const image = (tag: string) => ({ container: { image: `${REGISTRY}/${tag}` } });
const BAD = image('App:Nope');

function config(namespace: string, name: string, MODE: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { MODE } });
}

async function deployed(manifest: string): Promise<void> {
  const run = await gate(manifest, BACK);
  assert.equal(run.outputs['verdict'], 'succeeded', run.log);
}

function expectOutcome(run: GateRun, outcome: string, reason: RegExp = /./): void {
  assert.deepEqual([run.outputs['verdict'], run.outputs['rollback'], run.code], ['stalled', outcome, 1], run.log);
  assert.equal(run.report.rollback?.outcome, outcome);
  assert.match(run.report.rollback?.reason ?? '', reason);
}

/** Rollback where others had, or have, a hand in what is to be taken back. */
const tests: Readonly<Record<string, (namespace: string) => Promise<void>>> = {
  'what kubectl applied from the client belongs to kubectl again': async (namespace) => {
    await kubectl(['apply', '-f', '-'], app(namespace));
    await kubectl(['rollout', 'status', 'deployment/web', '-n', namespace, '--timeout=60s']);
    const before = await readState(namespace);
    expectOutcome(await gate(app(namespace, BAD), BACK), 'rolled-back');
    assert.deepEqual(await readState(namespace), before);
    assert.equal(await kubectl(['apply', '-f', '-'], app(namespace)), 'deployment.apps/web unchanged\n');
  },

  'a first deploy keeps its objects': async (namespace) => {
    expectOutcome(await gate(app(namespace, BAD), BACK), 'none', /nothing to go back to/);
    assert.match(await imageOf(namespace, 'deployment/web'), /App:Nope$/);
  },

  'a state that was not ready before is no state to go back to': async (namespace) => {
    assert.equal((await gate(app(namespace, BAD), { 'stable-for': '1s' })).code, 1);
    expectOutcome(await gate(app(namespace, image('App:Neither')), BACK), 'refused', /not ready/);
    assert.match(await imageOf(namespace, 'deployment/web'), /App:Neither$/);
  },

  'if somebody else changed one of ten objects, none is touched': async (namespace) => {
    const all = (mode: string, shape: object) =>
      documents(...Array.from({ length: 9 }, (_, nth) => config(namespace, `c-${nth}`, mode)), app(namespace, shape));
    await deployed(all('good', {}));
    const running = await startGate(all('bad', image('app:nope')), BACK);
    await running.logged(/group::Deployment\/web/);
    await kubectl(['patch', 'configmap/c-7', '-n', namespace, '-p', '{"data":{"OTHER":"mine"}}']);
    const attempted = await readState(namespace);
    expectOutcome(await running.result, 'refused', /ConfigMap\/c-7.*kubectl-patch/);
    assert.deepEqual(await readState(namespace), attempted);
  },

  'replicas that somebody else set under an autoscaler are left alone': async (namespace) => {
    await deployed(app(namespace));
    await kubectl(['autoscale', 'deployment/web', '-n', namespace, '--min=1', '--max=3']);
    const running = await startGate(app(namespace, image('app:nope')), BACK);
    await running.logged(/changed Deployment\/web/);
    await kubectl(['scale', 'deployment/web', '-n', namespace, '--replicas=2']);
    expectOutcome(await running.result, 'rolled-back');
    assert.equal(await kubectl(['get', 'deployment/web', '-n', namespace, '-o', 'jsonpath={.spec.replicas}']), '2');
    assert.match(await imageOf(namespace, 'deployment/web'), /app:v1$/);
  },

  'an image that a person set on another workload meanwhile stays': async (namespace) => {
    await deployed(documents(app(namespace, { name: 'api' }), app(namespace)));
    const bad = documents(app(namespace, { name: 'api', ...image('app:v2') }), app(namespace, image('app:nope')));
    const running = await startGate(bad, BACK);
    await running.logged(/1\/1 ready: succeeded/);
    await kubectl(['set', 'image', 'deployment/api', `app=${REGISTRY}/app:v3`, '-n', namespace]);
    expectOutcome(await running.result, 'refused', /Deployment\/api.*kubectl-set/);
    assert.match(await imageOf(namespace, 'deployment/api'), /app:v3$/);
    assert.match(await imageOf(namespace, 'deployment/web'), /app:nope$/);
  },

  'an image that a person set on the stalled workload ends the run as superseded': async (namespace) => {
    await deployed(app(namespace));
    const running = await startGate(app(namespace, image('app:nope')), BACK);
    await running.logged(/group::Deployment\/web/);
    await kubectl(['set', 'image', 'deployment/web', `app=${REGISTRY}/app:v3`, '-n', namespace]);
    const run = await running.result;
    assert.deepEqual([run.outputs['verdict'], run.outputs['rollback'], run.code], ['superseded', 'none', 0], run.log);
    assert.match(await imageOf(namespace, 'deployment/web'), /app:v3$/);
  },

  'two bad deploys in a row still find the good one, its ConfigMap and Secret included': async (namespace) => {
    const secret = (word: string) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace }, stringData: { word } });
    const all = (mode: string, shape: object) =>
      documents(config(namespace, 'settings', mode), secret(mode), app(namespace, shape));
    const good = all('good', {});
    await deployed(good);
    const before = await readState(namespace);
    const first = await gate(all('bad', BAD), { 'stable-for': '1s' });
    assert.deepEqual([first.outputs['verdict'], first.outputs['rollback']], ['stalled', 'none'], first.log);
    expectOutcome(await gate(all('worse', image('App:Worse')), BACK), 'rolled-back');
    await expectBack(namespace, before, good);
  },
};

describe('rollback beside others', { skip, concurrency: 4 }, () => {
  for (const [index, [name, body]] of Object.entries(tests).entries())
    test(name, { timeout: 180_000 }, () => inNamespace(`others-${index}`, body));
});
