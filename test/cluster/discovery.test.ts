import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectTo, json, kubeconfigFor, refusal, startServer, withVersion } from './scripted-server.ts';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespaced: true };

function aggregated(name: string, freshness: string, resources: readonly object[]): object {
  return {
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name }, versions: [{ version: 'v1', freshness, resources }] }],
  };
}

const PLAIN = {
  kind: 'APIResourceList',
  resources: [
    { name: 'deployments/scale', kind: 'Scale', namespaced: true },
    { name: 'deployments', kind: 'Deployment', namespaced: true },
  ],
};
const FULL = [
  {
    resource: 'deployments',
    responseKind: { kind: 'Deployment' },
    scope: 'Namespaced',
    subresources: [{ subresource: 'scale' }],
  },
];

describe('discovery', () => {
  it('asks two requests for all kinds, however many callers ask at once', async (t) => {
    const { url, seen } = await startServer(
      t,
      withVersion((one, response) =>
        json(response, 200, one.path === '/apis' ? aggregated('apps', 'Current', FULL) : { items: [] }),
      ),
    );
    const connection = await connectTo(t, kubeconfigFor(url));
    const found = await Promise.all(
      ['Deployment', 'Deployment', 'Nothing'].map((kind) => connection.resource('apps/v1', kind)),
    );
    assert.deepEqual(found, [DEPLOYMENT, DEPLOYMENT, null]);
    assert.equal(await connection.resource('other/v1', 'Deployment'), null);
    assert.equal(seen.length, 3);
  });

  it('asks for each version by itself where the server is too old for that', async (t) => {
    const { url, seen } = await startServer(
      t,
      withVersion((one, response) => {
        if (one.path === '/apis/apps/v1') json(response, 200, PLAIN);
        else if (/^\/apis?$/.test(one.path)) json(response, 200, { kind: 'APIGroupList', groups: [] });
        else json(response, 404, refusal(404, 'NotFound'));
      }),
    );
    const connection = await connectTo(t, kubeconfigFor(url));
    assert.deepEqual(await connection.resource('apps/v1', 'Deployment'), DEPLOYMENT);
    assert.deepEqual(await connection.resource('apps/v1', 'Scale'), null);
    assert.equal(await connection.resource('gone/v1', 'X'), null);
    assert.equal(seen.length, 5);
  });

  it('asks by itself for what an extension server left stale, and again when a fresh answer is wanted', async (t) => {
    let served = 0;
    const { url } = await startServer(
      t,
      withVersion((one, response) => {
        if (one.path === '/apis/apps/v1') json(response, served++ === 0 ? 404 : 200, PLAIN);
        else json(response, 200, one.path === '/apis' ? aggregated('apps', 'Stale', []) : { items: [] });
      }),
    );
    const connection = await connectTo(t, kubeconfigFor(url));
    assert.equal(await connection.resource('apps/v1', 'Deployment'), null);
    assert.deepEqual(await connection.resource('apps/v1', 'Deployment', { fresh: true }), DEPLOYMENT);
    assert.deepEqual(await connection.resource('apps/v1', 'Deployment'), DEPLOYMENT);
    assert.equal(served, 2);
  });
});
