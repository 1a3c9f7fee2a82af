import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../src/cluster/api.ts';
import { missingRights, rightsOfRollback, textOf } from '../../src/rollback/rights.ts';
import { createTinyCluster } from './tiny-cluster.ts';

const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespace: 'shop' };
const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', namespace: 'shop' };
const SPACE = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespace: '' };

function allowing(resourceRules: readonly object[], incomplete = false): Api {
  const body = { status: { incomplete, resourceRules } };
  return { ...createTinyCluster().api, request: async () => ({ ok: true, status: 201, body }) };
}

async function missing(api: Api): Promise<readonly string[]> {
  return (await missingRights(rightsOfRollback([WEB, WEB, CLAIM, SPACE], ['shop'], 'ledger'), api)).map(textOf);
}

test('what is missing is named once, and nothing is asked for that is never removed', async () => {
  assert.deepEqual(await missing(allowing([])), [
    'get secrets "ledger" in shop',
    'create secrets in shop',
    'update secrets "ledger" in shop',
    'delete deployments.apps in shop',
  ]);
});

test('a rule counts with its names, and a star stands for all', async () => {
  const named = { verbs: ['get', 'update'], apiGroups: [''], resources: ['secrets'], resourceNames: ['ledger'] };
  const others = { ...named, verbs: ['*'], resourceNames: ['other'] };
  const removal = { verbs: ['delete'], apiGroups: ['apps'], resources: ['*'] };
  assert.deepEqual(await missing(allowing([named, others, removal])), ['create secrets in shop']);
  assert.deepEqual(await missing(allowing([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }])), []);
});

test('where the server does not know all rules, nothing is said', async () => {
  assert.deepEqual(await missing(allowing([], true)), []);
  const failing: Api = {
    ...createTinyCluster().api,
    request: async () => ({ ok: false, status: 403, failure: { message: 'no' } }),
  };
  assert.deepEqual(await missing(failing), []);
});
