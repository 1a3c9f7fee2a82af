import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ApiRequest } from '../../src/cluster/api.ts';
import { plan } from '../../src/plan/plan.ts';
import { GateError } from '../../src/problem.ts';
import { configMap, OPTIONS, planned, problemsOf, short } from './planning.ts';
import { fakeServer, isChange, manifest, type Refusal } from './server.ts';

function documents(...texts: readonly string[]): string {
  return texts.join('---\n');
}

const NEW_NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n';

describe('before anything is applied', () => {
  test('each document goes to the server as a dry run, exactly as it is written', async () => {
    const server = fakeServer();
    const policy = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: only-web}
spec:
  podSelector: {}
  ingress:
  - from: [{podSelector: {matchLabels: {app: web}}}]
    default: kept
`;
    await planned(server, policy);
    const [sent] = server.requests.filter((request) => request.method === 'PATCH');
    assert.deepEqual(sent, {
      method: 'PATCH',
      path: '/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/only-web',
      query: { dryRun: 'All', fieldManager: 'rollout-gate', fieldValidation: 'Strict' },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'only-web' },
        spec: {
          podSelector: {},
          ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }], default: 'kept' }],
        },
      },
    });
  });

  test('whatever fields a document has, all of them are sent, and nothing is changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), async (spec) => {
        const server = fakeServer();
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'any' }, spec };
        const text = JSON.stringify(object);
        await plan(
          { documents: manifest(configMap('any')).documents.map((each) => ({ ...each, object })), imageChanges: [] },
          server.api,
          OPTIONS,
        );
        const bodies = server.requests.flatMap((request) =>
          request.method === 'PATCH' ? [JSON.stringify(request.body)] : [],
        );
        assert.deepEqual(bodies, [text]);
        assert.deepEqual(server.requests.filter(isChange), []);
      }),
      { numRuns: 50 },
    );
  });

  test('force-conflicts is passed on', async () => {
    const server = fakeServer();
    await planned(server, configMap('a'), { forceConflicts: true });
    assert.equal(server.requests.find((request) => request.method === 'PATCH')?.query?.['force'], 'true');
  });

  test('a few are asked at a time, and the answer keeps the order', async () => {
    const server = fakeServer();
    const names = Array.from({ length: 40 }, (_, index) => `c${index}`);
    const result = await planned(server, documents(...names.map((name) => configMap(name))));
    assert.deepEqual(
      result.objects.map((each) => each.ref.name),
      names,
    );
    assert.ok(server.busiest() > 1 && server.busiest() <= 8, `${server.busiest()}`);
  });
});

describe('what becomes of each object', () => {
  test('created, changed or kept, with what differs', async () => {
    const server = fakeServer();
    for (const name of ['same', 'other'])
      server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data: { a: '1' } });
    const result = await planned(
      server,
      documents(configMap('same', '', '{a: "1"}'), configMap('other', '', '{a: "2"}'), configMap('new')),
    );
    assert.deepEqual(short(result), [
      'ConfigMap shop/same keep',
      'ConfigMap shop/other change',
      'ConfigMap shop/new create',
    ]);
    assert.deepEqual(result.objects[1]?.changes, [{ path: 'data.a', from: '1', to: '2' }]);
    assert.equal(
      result.objects[0]?.live?.metadata.uid,
      server.get('/api/v1/namespaces/shop/configmaps/same')?.metadata.uid,
    );
  });

  test('the namespace is the document’s, then the input’s, then the context’s; kinds without one ignore it', async () => {
    const text = documents(NEW_NAMESPACE, configMap('own', 'default'), configMap('none'));
    assert.deepEqual(short(await planned(fakeServer(), text)), [
      'Namespace /new create',
      'ConfigMap default/own create',
      'ConfigMap shop/none create',
    ]);
    const byContext = await planned(fakeServer(), configMap('none'), { namespace: '' });
    assert.deepEqual(short(byContext), ['ConfigMap default/none create']);
  });

  test('the same object twice, once with its namespace and once by default, is refused before any dry run', async () => {
    const server = fakeServer();
    const problems = await problemsOf(planned(server, documents(configMap('a'), configMap('a', 'shop'))));
    assert.equal(problems.length, 1);
    assert.equal(problems[0]?.position?.line, 6);
    assert.deepEqual(server.requests, []);
  });

  test('an object that is being deleted is refused: what is applied would go with it', async () => {
    const server = fakeServer();
    const metadata = { name: 'a', namespace: 'shop', deletionTimestamp: '2026-01-02T12:00:00Z', finalizers: ['x/y'] };
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    const problems = await problemsOf(planned(server, configMap('a')));
    assert.match(
      problems[0]?.message ?? '',
      /being deleted since 2026-01-02T12:00:00Z \(its finalizers x\/y hold it\)/,
    );
  });
});

describe('refusals', () => {
  const invalid = (request: ApiRequest): Refusal | null =>
    /\/bad/.test(request.path) && request.method === 'PATCH'
      ? { code: 422, message: 'invalid', details: { causes: [{ field: 'data.a', message: 'Invalid value' }] } }
      : null;

  test('all are told, in the order of the file, unknown kinds among them; nothing is changed', async () => {
    const server = fakeServer({ refuse: invalid });
    const text = documents(
      configMap('bad1', '', '{a: x}'),
      'apiVersion: apps/v1\nkind: Deploymint\nmetadata: {name: x}\n',
      configMap('good'),
      configMap('bad2', '', '{a: x}'),
    );
    const problems = await problemsOf(planned(server, text));
    assert.deepEqual(
      problems.map((problem) => problem.position?.line),
      [4, 7, 18],
    );
    assert.match(
      problems[1]?.message ?? '',
      /knows no kind "Deploymint" in apps\/v1; is its CustomResourceDefinition missing/,
    );
    assert.deepEqual(server.requests.filter(isChange), []);
  });

  test('a kind that has moved to another version is said to be there', async () => {
    const text = 'apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: x}\n';
    const problems = await problemsOf(planned(fakeServer(), text));
    assert.match(problems[0]?.message ?? '', /it serves Ingress as networking\.k8s\.io\/v1$/);
  });

  test('of fields that the server does not know it tells the first only: all are found', async () => {
    const unknown = ['one', 'two', 'three'];
    const server = fakeServer({
      refuse: ({ body, method }) => {
        const spec = (body as { spec?: object } | undefined)?.spec ?? {};
        const first = Object.keys(spec).find((key) => unknown.includes(key));
        if (method !== 'PATCH' || first === undefined) return null;
        const message = `failed to create typed patch object (shop/a; v1, Kind=ConfigMap): .spec.${first}: field not declared in schema`;
        return { code: 500, message };
      },
    });
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec:\n  one: 1\n  fine: 1\n  two: 2\n  three: 3\n';
    const problems = await problemsOf(planned(server, text));
    assert.deepEqual(
      problems.map((problem) => problem.position?.line),
      [5, 7, 8],
    );
  });

  test('a broken connection is no refusal of an object', async () => {
    const server = fakeServer({ refuse: () => GateError.of('the server does not answer') });
    const problems = await problemsOf(planned(server, configMap('a')));
    assert.deepEqual(problems, [{ message: 'the server does not answer', position: null }]);
  });
});
