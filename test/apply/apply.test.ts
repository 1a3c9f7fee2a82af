import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apply } from '../../src/apply/apply.ts';
import type { ApiRequest } from '../../src/cluster/api.ts';
import { plan } from '../../src/plan/plan.ts';
import { GateError } from '../../src/problem.ts';
import { fakeServer, isChange, manifest } from '../plan/server.ts';
import { changed, configMap, isApply, OPTIONS, problemsOf, refusing, run } from './run.ts';

const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n';
const TREE = 'apiVersion: example.com/v1\nkind: Tree\nmetadata: {name: oak}\n';
const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trees.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Tree, plural: trees}
  versions: [{name: v1}]
`;

describe('what is applied', () => {
  test('goes in the order of the plan, exactly as it is written, and is told of at once', async () => {
    const server = fakeServer();
    const { applied, told } = await run(server, TREE, configMap('a', 'new'), DEFINITION, NAMESPACE);
    assert.deepEqual(changed(server), [
      'namespaces/new',
      'customresourcedefinitions/trees.example.com',
      'configmaps/a',
      'trees/oak',
    ]);
    assert.deepEqual(told, applied);
    const sent = server.requests.find(isApply(/configmaps/));
    assert.deepEqual(sent?.body, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'new' },
      data: { a: 'x' },
    });
    assert.deepEqual(sent?.query, { fieldManager: 'rollout-gate', fieldValidation: 'Strict' });
  });

  test('is kept with its state before and after, and with what changed', async () => {
    const server = fakeServer();
    for (const name of ['same', 'other'])
      server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data: { a: 'x' } });
    const { applied } = await run(server, configMap('same'), configMap('other', 'shop', 'y'), configMap('new'));
    assert.deepEqual(
      applied.map(({ ref, action, changes, before, after }) => [
        ref.name,
        action,
        changes,
        before?.['data'],
        after['data'],
      ]),
      [
        ['same', 'unchanged', [], { a: 'x' }, { a: 'x' }],
        ['other', 'changed', [{ path: 'data.a', from: 'x', to: 'y' }], { a: 'x' }, { a: 'y' }],
        ['new', 'created', [], undefined, { a: 'x' }],
      ],
    );
  });

  test('the state before is that right before the apply, not that of the plan', async () => {
    const server = fakeServer();
    const metadata = { name: 'a', namespace: 'shop' };
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'old' } });
    const planned = await plan(manifest(configMap('a')), server.api, OPTIONS);
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'newer' } });
    const [applied] = await apply(planned, server.api, OPTIONS, () => undefined);
    assert.deepEqual(applied?.before?.['data'], { a: 'newer' });
  });
});

describe('what could not be checked in the plan', () => {
  test('is checked once namespaces and definitions are there and served, before anything else is applied', async () => {
    const server = fakeServer({ establishedAfter: 3 });
    await run(server, configMap('first'), TREE, DEFINITION, NAMESPACE, configMap('a', 'new'));
    const steps = server.requests
      .filter((request) => request.method === 'PATCH')
      .map(
        ({ path, query }) =>
          `${query?.['dryRun'] === undefined ? 'apply' : 'check'} ${path.split('/').slice(-3).join('/')}`,
      );
    const from = steps.indexOf(
      'apply apiextensions.k8s.io/v1/customresourcedefinitions/trees.example.com'.replace('apiextensions.k8s.io/', ''),
    );
    assert.deepEqual(steps.slice(from + 1), [
      'check new/configmaps/a',
      'check shop/trees/oak',
      'apply shop/configmaps/first',
      'apply new/configmaps/a',
      'apply shop/trees/oak',
    ]);
  });

  test('and refused then, stops the apply with only those changed', async () => {
    const wrong = {
      code: 422,
      message: 'Tree "oak" is invalid',
      details: { causes: [{ field: 'kind', message: 'no' }] },
    };
    const server = fakeServer(refusing(({ path, method }) => method === 'PATCH' && path.endsWith('oak'), wrong));
    const problems = await problemsOf(run(server, configMap('first'), TREE, DEFINITION));
    assert.deepEqual(changed(server), ['customresourcedefinitions/trees.example.com']);
    assert.equal(problems[0]?.position?.line, 7);
    assert.match(
      problems[1]?.message ?? '',
      /stopped after 1 of 3 .*Changed: CustomResourceDefinition\/trees\.example\.com\. Not applied.*ConfigMap\/first in shop, Tree\/oak in shop/,
    );
  });

  test('a field that its definition has only just got is waited for', async () => {
    let times = 2;
    const message =
      'failed to create typed patch object (shop/oak; example.com/v1, Kind=Tree): .spec.age: field not declared in schema';
    const server = fakeServer({
      refuse: ({ path, method }) => {
        if (method !== 'PATCH' || !path.endsWith('oak') || times === 0) return null;
        times -= 1;
        return { code: 500, message };
      },
    });
    const { applied } = await run(server, `${TREE}spec: {age: 3}\n`, DEFINITION);
    assert.deepEqual(
      applied.map((each) => each.ref.kind),
      ['CustomResourceDefinition', 'Tree'],
    );
  });

  test('a definition that can never be served ends the wait', async () => {
    const status = { conditions: [{ type: 'NamesAccepted', status: 'False', message: '"trees" is already in use' }] };
    const server = fakeServer();
    const never = {
      ...server.api,
      request: async (request: ApiRequest) => {
        const answer = await server.api.request(request);
        const isRead = request.method === 'GET' && request.path.endsWith('trees.example.com') && answer.ok;
        return isRead ? { ...answer, body: { ...(answer.body as object), status } } : answer;
      },
    };
    const problems = await problemsOf(run({ ...server, api: never }, DEFINITION));
    assert.match(
      problems[0]?.message ?? '',
      /was applied, but is not served: NamesAccepted False "trees" is already in use/,
    );
  });
});

describe('an apply that breaks off', () => {
  test('tells what was changed by then and what was not', async () => {
    const refusal = { code: 403, message: 'exceeded quota' };
    const server = fakeServer(refusing(isApply(/configmaps\/b/), refusal));
    server.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'same', namespace: 'shop' },
      data: { a: 'x' },
    });
    const problems = await problemsOf(run(server, configMap('same'), configMap('a'), configMap('b'), configMap('c')));
    assert.match(problems[0]?.message ?? '', /ConfigMap\/b was refused by the server: exceeded quota/);
    assert.equal(problems[0]?.position?.line, 11);
    assert.equal(
      problems[1]?.message,
      'The apply stopped after 2 of 4 objects. Changed: ConfigMap/a in shop. Not applied, or without an answer: ConfigMap/b in shop, ConfigMap/c in shop',
    );
    assert.equal(server.get('/api/v1/namespaces/shop/configmaps/c'), undefined);
  });

  test('tells so too when the connection breaks', async () => {
    const server = fakeServer(refusing(isApply(/configmaps\/b/), GateError.of('the server does not answer')));
    const problems = await problemsOf(run(server, configMap('a'), configMap('b')));
    assert.deepEqual(
      problems.map((problem) => problem.message),
      [
        'the server does not answer',
        'The apply stopped after 1 of 2 objects. Changed: ConfigMap/a in shop. Not applied, or without an answer: ConfigMap/b in shop',
      ],
    );
  });

  test('by a bug is not dressed up as a refusal', async () => {
    const server = fakeServer(refusing(isApply(/configmaps\/a/), new TypeError('a bug')));
    await assert.rejects(run(server, configMap('a')), TypeError);
  });

  for (const passing of [
    {
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    },
    { code: 404, message: 'the server could not find the requested resource', details: {} },
    {
      code: 403,
      message:
        'pods "a" is forbidden: error looking up service account new/default: serviceaccount "default" not found',
    },
  ]) {
    test(`goes on after what passes by itself: ${passing.message.slice(0, 60)}`, async () => {
      let times = 2;
      const server = fakeServer({
        refuse: (request) => {
          if (!isChange(request) || times === 0) return null;
          times -= 1;
          return passing;
        },
      });
      const { applied } = await run(server, configMap('a'));
      assert.equal(applied[0]?.action, 'created');
      assert.equal(changed(server).length, 3);
    });
  }
});
