import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, ApiAnswer, ApiRequest } from '../../src/cluster/api.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { withState } from '../../src/ledger/ledger.ts';
import { recordProof } from '../../src/ledger/prove.ts';
import { changeLedger, readLedger } from '../../src/ledger/store.ts';
import { GateError } from '../../src/problem.ts';
import { applied, configMap, deployment } from '../rollback/scenes.ts';
import { createTinyCluster } from '../rollback/tiny-cluster.ts';

const STATE = {
  run: 'run 1',
  at: '2026-12-01T12:00:00Z',
  proof: 'soaked' as const,
  objects: [configMap('settings', { a: '1' })],
};

function refusing(answer: (request: ApiRequest) => ApiAnswer): Api {
  return { ...createTinyCluster().api, request: async (request) => answer(request) };
}

function failure(code: number, message: string): ApiAnswer {
  return { ok: false, status: code, failure: { code, message } };
}

test('what one run notes, the next one reads', async () => {
  const place = { api: createTinyCluster().api, namespace: 'shop', name: 'ledger' };
  assert.deepEqual(await readLedger(place), { ledger: { states: [], open: null }, trouble: '' });
  assert.equal(await changeLedger(place, (ledger) => withState(ledger, STATE)), '');
  assert.deepEqual((await readLedger(place)).ledger.states, [STATE]);
});

test('two runs that write at the same time lose nothing', async () => {
  const { api } = createTinyCluster();
  const place = { api, namespace: 'shop', name: 'ledger' };
  const other = { ...STATE, run: 'other', objects: [configMap('settings', { a: 'theirs' })] };
  await changeLedger(place, (ledger) => withState(ledger, STATE));
  let disturbed = false;
  const between: Api = {
    ...api,
    request: async (request) => {
      if (request.method === 'PUT' && !disturbed) {
        disturbed = true;
        await changeLedger(place, (ledger) => withState(ledger, other));
      }
      return api.request(request);
    },
  };
  const third = { ...STATE, run: 'third', objects: [configMap('settings', { a: '3' })] };
  assert.equal(await changeLedger({ ...place, api: between }, (ledger) => withState(ledger, third)), '');
  assert.deepEqual(
    (await readLedger(place)).ledger.states.map((each) => each.run),
    ['third', 'other', 'run 1'],
  );
});

test('a missing right, a broken connection and a foreign Secret are told in their own words, and nothing is overwritten', async () => {
  const forbidden = refusing(() =>
    failure(403, 'secrets "ledger" is forbidden: User "ci" cannot get resource "secrets"'),
  );
  const place = { namespace: 'shop', name: 'ledger' };
  assert.match(
    await changeLedger({ ...place, api: forbidden }, (ledger) => withState(ledger, STATE)),
    /Secret\/ledger in shop could not be read: .*User "ci" cannot get/,
  );
  const broken: Api = {
    ...forbidden,
    request: async () => {
      throw GateError.of('no answer from https://cluster.example');
    },
  };
  assert.match((await readLedger({ ...place, api: broken })).trouble, /no answer from/);
  const writes: ApiRequest[] = [];
  const foreign = refusing((request) => {
    if (request.method !== 'GET') writes.push(request);
    return {
      ok: true,
      status: 200,
      body: { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: {}, data: { password: 'c2VjcmV0' } },
    };
  });
  assert.match(
    await changeLedger({ ...place, api: foreign }, (ledger) => withState(ledger, STATE)),
    /is no ledger.*input ledger/,
  );
  assert.equal(writes.length, 0);
});

test('a ledger that cannot be understood is left alone', async () => {
  const secret: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {},
    type: 'rollout-gate/ledger.v1',
    data: { 'ledger.json.gz': 'bm9uc2Vuc2U=' },
  };
  const api = refusing(() => ({ ok: true, status: 200, body: secret }));
  assert.match(
    await changeLedger({ api, namespace: 'shop', name: 'ledger' }, (ledger) => withState(ledger, STATE)),
    /cannot be understood.*delete it/,
  );
});

test('a deploy that worked is noted and stamped; the same deploy again writes nothing', async () => {
  const cluster = createTinyCluster();
  const documents = [
    configMap('settings', { a: '1' }),
    { ...deployment('good-1'), spec: { template: { image: 'good-1' } } },
  ];
  const writes: string[] = [];
  const api: Api = {
    ...cluster.api,
    request: async (request) => {
      if (request.method !== 'GET') writes.push(`${request.method} ${request.path.split('/').at(-1)}`);
      return cluster.api.request(request);
    },
  };
  const prover = { api, name: 'ledger', run: 'run 1' };
  assert.deepEqual(await recordProof(cluster.apply(documents, 'rollout-gate'), prover), []);
  assert.deepEqual(writes.splice(0), ['POST secrets', 'PATCH web']);
  const stamp = JSON.parse(
    cluster.objects.get('Deployment/web')?.metadata.annotations?.['rollout-gate/proven'] ?? '{}',
  );
  assert.equal(stamp.run, 'run 1');
  assert.deepEqual(await recordProof(cluster.apply(documents, 'rollout-gate'), prover), []);
  assert.deepEqual(writes, []);
});

test('without a right on Secrets a deploy that worked still worked, and says what is missing', async () => {
  const api = refusing(() => failure(403, 'secrets is forbidden'));
  const told = await recordProof([applied(null, configMap('settings', { a: '1' }))], {
    api,
    name: 'ledger',
    run: 'run 1',
  });
  assert.match(told.join(), /not kept for a later rollback: .*secrets is forbidden/);
  assert.deepEqual(
    await recordProof([applied(null, configMap('settings', { a: '1' }))], { api, name: '', run: 'run 1' }),
    [],
  );
});
