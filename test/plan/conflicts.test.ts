import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest } from '../../src/cluster/api.ts';
import { configMap, planned, problemsOf, short } from './planning.ts';
import { type FakeServer, fakeServer, type Refusal } from './server.ts';

describe('conflicts', () => {
  const conflict = (...managers: readonly string[]) => ({
    refuse: ({ method, query }: ApiRequest): Refusal | null =>
      method === 'PATCH' && query?.['force'] === undefined
        ? {
            code: 409,
            message: 'Apply failed with conflicts',
            details: {
              causes: managers.map((manager) => ({
                reason: 'FieldManagerConflict',
                field: '.data.a',
                message: `conflict with "${manager}" using v1`,
              })),
            },
          }
        : null,
  });

  function withOwner(server: FakeServer, managedFields: readonly object[] = []): FakeServer {
    server.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'shop', managedFields },
      data: { a: '1' },
    });
    return server;
  }

  test('with another manager are told, with the way out', async () => {
    const server = withOwner(fakeServer(conflict('helm')));
    const problems = await problemsOf(planned(server, configMap('a', '', '{a: "2"}')));
    assert.match(problems[0]?.message ?? '', /data\.a is owned by "helm".*force-conflicts: true/);
    assert.equal(problems[0]?.position?.line, 4);
  });

  test('with a client-side apply are none, as it is adopted; the others stay', async () => {
    const alone = withOwner(fakeServer(conflict('kubectl-client-side-apply')));
    assert.deepEqual(short(await planned(alone, configMap('a', '', '{a: "2"}'))), ['ConfigMap shop/a change']);
    const both = withOwner(fakeServer(conflict('kubectl-client-side-apply', 'helm')));
    const problems = await problemsOf(planned(both, configMap('a', '', '{a: "2"}')));
    assert.deepEqual(problems.length, 1);
    assert.match(problems[0]?.message ?? '', /owned by "helm"/);
  });

  test('with whoever owns the note of a client-side apply are none either, by whatever name it went', async () => {
    const note = { 'f:metadata': { 'f:annotations': { 'f:kubectl.kubernetes.io/last-applied-configuration': {} } } };
    const server = withOwner(fakeServer(conflict('my-ci')), [
      { manager: 'my-ci', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: note },
    ]);
    assert.deepEqual(short(await planned(server, configMap('a', '', '{a: "2"}'))), ['ConfigMap shop/a change']);
  });
});
