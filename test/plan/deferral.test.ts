import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest } from '../../src/cluster/api.ts';
import { plan } from '../../src/plan/plan.ts';
import { GateError } from '../../src/problem.ts';
import { fakeServer, isChange, manifest, type Refusal } from './server.ts';

const OPTIONS = { namespace: 'shop', fieldManager: 'rollout-gate', forceConflicts: false };
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n';
const IN_NEW = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: new}\ndata: {b: c}\n';
const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trees.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Tree, plural: trees}
  versions: [{name: v1, served: true}, {name: v0, served: false}]
`;
const TREE = 'apiVersion: example.com/v1\nkind: Tree\nmetadata: {name: oak}\n';
const TREES = { apiVersion: 'example.com/v1', kind: 'Tree', plural: 'trees', namespaced: true };

/** Refuses the dry run of what a path matches, as Kubernetes 1.36.3 says it. */
function refusing(path: RegExp, refusal: Refusal) {
  return { refuse: (request: ApiRequest) => (request.method === 'PATCH' && path.test(request.path) ? refusal : null) };
}

async function deferrals(
  server: ReturnType<typeof fakeServer>,
  ...texts: readonly string[]
): Promise<readonly string[]> {
  const { objects } = await plan(manifest(texts.join('---\n')), server.api, OPTIONS);
  assert.deepEqual(server.requests.filter(isChange), []);
  return objects.map(({ ref, deferred }) => `${ref.kind}/${ref.name} ${deferred}`.trim());
}

async function refusals(
  server: ReturnType<typeof fakeServer>,
  ...texts: readonly string[]
): Promise<readonly string[]> {
  const error: unknown = await plan(manifest(texts.join('---\n')), server.api, OPTIONS).catch(
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GateError, 'nothing was refused');
  return error.problems.map((problem) => problem.message);
}

describe('an object in a namespace that the manifest creates', () => {
  test('is checked in another one meanwhile, under its own name', async () => {
    const server = fakeServer();
    assert.deepEqual(await deferrals(server, IN_NEW, NAMESPACE), ['Namespace/new', 'ConfigMap/a namespace']);
    const asked = server.requests.filter((request) => request.method === 'PATCH').map((request) => request.path);
    assert.ok(asked.includes('/api/v1/namespaces/default/configmaps/a'), asked.join('\n'));
  });

  test('does not run into an object of that name there', async () => {
    const server = fakeServer();
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, immutable: true });
    await deferrals(server, NAMESPACE, IN_NEW);
    const asked = server.requests.filter((request) => request.method === 'PATCH').map((request) => request.path);
    assert.ok(
      asked.includes('/api/v1/namespaces/default/configmaps/a-0') &&
        !asked.includes('/api/v1/namespaces/default/configmaps/a'),
    );
  });

  test('is refused for what is wrong with it anywhere', async () => {
    const wrong = refusing(/default\/configmaps/, {
      code: 500,
      message:
        'failed to create typed patch object (default/a; v1, Kind=ConfigMap): .data.b: expected string, got &value.valueUnstructured{Value:1}',
    });
    assert.match((await refusals(fakeServer(wrong), NAMESPACE, IN_NEW)).join(), /data\.b: must be a text/);
  });

  for (const [what, refusal] of [
    ['the rights', { code: 403, message: 'configmaps "a" is forbidden: User "ci" cannot patch resource "configmaps"' }],
    [
      'the quota',
      { code: 403, message: 'configmaps "a" is forbidden: exceeded quota: q, requested: count/configmaps=1' },
    ],
    [
      'a policy',
      {
        code: 422,
        message: "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
        details: { causes: [{ message: 'no' }] },
      },
    ],
    ['a reason that names no field', { code: 422, message: 'Unprocessable Entity' }],
    ['a webhook', { code: 400, message: 'admission webhook "w.example.com" denied the request: no' }],
  ] as const) {
    test(`is not refused for ${what} of the other namespace`, async () => {
      const server = fakeServer(refusing(/default\/configmaps/, refusal));
      assert.deepEqual(await deferrals(server, NAMESPACE, IN_NEW), ['Namespace/new', 'ConfigMap/a namespace']);
    });
  }

  test('of one that nobody creates is refused', async () => {
    assert.match((await refusals(fakeServer(), IN_NEW)).join(), /namespaces "new" not found; create it first/);
  });
});

describe('an object of a kind that the manifest defines', () => {
  test('is checked later', async () => {
    assert.deepEqual(await deferrals(fakeServer(), TREE, DEFINITION), [
      'CustomResourceDefinition/trees.example.com',
      'Tree/oak kind',
    ]);
  });

  test('in a version that is not served is unknown', async () => {
    const old = TREE.replace('example.com/v1', 'example.com/v0');
    assert.match((await refusals(fakeServer(), old, DEFINITION)).join(), /knows no kind "Tree" in example\.com\/v0/);
  });

  test('is checked again later where the definition changes: a field may be new', async () => {
    const unknown = {
      code: 500,
      message:
        'failed to create typed patch object (shop/oak; example.com/v1, Kind=Tree): .spec.age: field not declared in schema',
    };
    const known = { kinds: [TREES], ...refusing(/trees\/oak/, unknown) };
    assert.deepEqual(await deferrals(fakeServer(known), TREE, DEFINITION), [
      'CustomResourceDefinition/trees.example.com',
      'Tree/oak kind',
    ]);
    assert.match((await refusals(fakeServer(known), TREE)).join(), /spec\.age: the server knows no such field/);
  });
});

describe('an object that refers to another one of the manifest', () => {
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n';
  const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: runner}\n';
  const noAccount = refusing(/pods\/p/, {
    code: 403,
    message: 'pods "p" is forbidden: error looking up service account shop/runner: serviceaccount "runner" not found',
    details: { kind: 'pods', name: 'p' },
  });
  const binding = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\n';
  const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n';
  const noRole = refusing(/rolebindings\/b/, {
    code: 404,
    message: 'rolebindings.rbac.authorization.k8s.io "r" not found',
    details: { kind: 'rolebindings', group: 'rbac.authorization.k8s.io', name: 'r' },
  });

  test('waits for it: a service account of a pod, a role of a binding', async () => {
    assert.deepEqual(await deferrals(fakeServer(noAccount), pod, account), [
      'ServiceAccount/runner',
      'Pod/p reference',
    ]);
    assert.deepEqual(await deferrals(fakeServer(noRole), binding, role), ['Role/r', 'RoleBinding/b reference']);
  });

  test('is refused if the manifest does not have it, or has it elsewhere', async () => {
    assert.match((await refusals(fakeServer(noAccount), pod)).join(), /serviceaccount "runner" not found/);
    const elsewhere = account.replace('{name: runner}', '{name: runner, namespace: default}');
    assert.match((await refusals(fakeServer(noAccount), pod, elsewhere)).join(), /serviceaccount "runner" not found/);
    assert.match((await refusals(fakeServer(noRole), binding)).join(), /"r" not found/);
  });

  test('is refused if it is there as it should be, and the server refuses all the same', async () => {
    const server = fakeServer(noAccount);
    server.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner', namespace: 'shop' } });
    assert.match((await refusals(server, pod, account)).join(), /serviceaccount "runner" not found/);
  });

  test('waits for a quota that is raised', async () => {
    const full = refusing(/pods\/p/, {
      code: 403,
      message: 'pods "p" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
    });
    const kinds = [{ apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true }];
    const quota = 'apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small}\n';
    assert.deepEqual(await deferrals(fakeServer({ ...full, kinds }), pod, quota), [
      'ResourceQuota/small',
      'Pod/p reference',
    ]);
    assert.match(
      (await refusals(fakeServer({ ...full, kinds }), pod, quota.replace('small', 'other'))).join(),
      /exceeded quota: small/,
    );
  });
});
