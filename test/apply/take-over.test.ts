import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest } from '../../src/cluster/api.ts';
import { fakeServer, isChange } from '../plan/server.ts';
import { configMap, problemsOf, refusing, run } from './run.ts';

describe('an object of a client-side apply', () => {
  const entry = { manager: 'kubectl-client-side-apply', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  const metadata = {
    name: 'a',
    namespace: 'shop',
    managedFields: [{ ...entry, fieldsV1: { 'f:data': { 'f:a': {} } } }],
  };

  test('becomes ours before it is applied; its state before is that of its owner', async () => {
    const server = fakeServer();
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'old' } });
    const { applied } = await run(server, configMap('a'));
    const [first, second] = server.requests.filter(isChange);
    assert.equal(first?.contentType, 'application/json-patch+json');
    assert.equal(second?.contentType, 'application/apply-patch+yaml');
    assert.equal(applied[0]?.before?.metadata.managedFields?.[0]?.manager, 'kubectl-client-side-apply');
    assert.deepEqual(applied[0]?.changes, [{ path: 'data.a', from: 'old', to: 'x' }]);
    const owners = server.get('/api/v1/namespaces/shop/configmaps/a')?.metadata.managedFields;
    assert.deepEqual(
      owners?.map((each) => [each.manager, each.operation]),
      [['rollout-gate', 'Apply']],
    );
  });

  test('that somebody changes in between is read again', async () => {
    const server = fakeServer();
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'old' } });
    let meddled = false;
    const meddling = {
      ...server.api,
      request: async (request: ApiRequest) => {
        if (request.contentType === 'application/json-patch+json' && !meddled) {
          meddled = true;
          server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'older' } });
        }
        return server.api.request(request);
      },
    };
    const { applied } = await run({ ...server, api: meddling }, configMap('a'));
    assert.equal(applied[0]?.action, 'changed');
    assert.equal(server.requests.filter((request) => request.contentType === 'application/json-patch+json').length, 2);
  });

  test('whose ownership may not be changed stops the apply with the server’s own words', async () => {
    const server = fakeServer(
      refusing((request) => request.contentType === 'application/json-patch+json', {
        code: 403,
        message: 'User "ci" cannot patch',
      }),
    );
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'old' } });
    const problems = await problemsOf(run(server, configMap('a')));
    assert.match(
      problems[0]?.message ?? '',
      /ConfigMap\/a was last applied by a client-side kubectl apply.*User "ci" cannot patch/,
    );
  });

  test('that has no owner at all is taken without a conflict', async () => {
    const server = fakeServer();
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' }, data: { a: 'old' } });
    await run(server, configMap('a'));
    assert.equal(server.requests.find(isChange)?.query?.['force'], 'true');
    await run(server, configMap('new'));
    assert.equal(server.requests.filter(isChange).at(-1)?.query?.['force'], undefined);
  });
});
