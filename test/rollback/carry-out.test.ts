import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, ApiAnswer, ApiRequest } from '../../src/cluster/api.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { rollBack } from '../../src/rollback/rollback.ts';
import { applied, configMap, deployment, resourceOf } from './scenes.ts';

/** Answers by path; the first answer that a hook gives stands. */
function server(objects: readonly KubernetesObject[], hook: (request: ApiRequest) => ApiAnswer | null) {
  const requests: ApiRequest[] = [];
  const live = new Map(objects.map((each) => [`${resourceOf(each).plural}/${each.metadata.name}`, each]));
  const api: Api = {
    server: 'https://cluster.example:6443',
    namespace: 'shop',
    now: () => 2_000,
    resource: async (apiVersion, kind) => resourceOf({ apiVersion, kind, metadata: {} }),
    request: async (request) => {
      requests.push(request);
      const hooked = hook(request);
      if (hooked !== null) return hooked;
      const found = live.get(request.path.split('/').slice(-2).join('/'));
      if (found !== undefined) return { ok: true, status: 200, body: found };
      return { ok: true, status: 200, body: { items: [] } };
    },
  };
  const changing = () => requests.filter((each) => each.method !== 'GET' && each.query?.['dryRun'] === undefined);
  return { api, live, changing };
}

function failure(code: number, message: string): ApiAnswer {
  return { ok: false, status: code, failure: { code, message } };
}

const settings = applied(configMap('settings', { a: '1' }), configMap('settings', { a: '2' }));
const web = applied(deployment('app:v1'), deployment('app:v2', 1));
const extra = applied(null, configMap('extra', { a: '1' }));
const LIVE = [settings.after, web.after, extra.after];

function outside(api: Api, follow = '') {
  const nothing = () => undefined;
  const ledger = { ledger: '', run: 'this run' };
  return {
    api,
    ...ledger,
    fieldManager: 'rollout-gate',
    unstick: false,
    follow: async () => follow,
    tell: nothing,
    notice: nothing,
  };
}

test('every step is guarded by uid and resourceVersion', async () => {
  const { api, changing } = server(LIVE, () => null);
  const told = await rollBack([extra, settings, web], outside(api));
  assert.equal(told.outcome, 'rolled-back', told.reason);
  assert.equal(changing().length, 5);
  for (const { method, body } of changing()) {
    if (method === 'DELETE') {
      const { preconditions } = body as { readonly preconditions: unknown };
      assert.deepEqual(preconditions, { uid: 'uid-extra', resourceVersion: '5' });
      continue;
    }
    const [uid, version] = body as readonly { readonly op: string; readonly path: string }[];
    assert.equal(`${uid?.op} ${uid?.path}`, 'test /metadata/uid');
    assert.equal(`${version?.op} ${version?.path}`, 'replace /metadata/resourceVersion');
  }
});

test('what the server refuses in the rehearsal leaves everything untouched', async () => {
  const { api, changing } = server(LIVE, ({ method, query }) =>
    method === 'DELETE' && query?.['dryRun'] === 'All' ? failure(403, 'cannot delete configmaps') : null,
  );
  const told = await rollBack([extra, settings, web], outside(api));
  assert.equal(told.outcome, 'refused');
  assert.match(told.reason, /cannot delete configmaps/);
  assert.equal(changing().length, 0);
});

test('a conflict because of the status alone is tried again at the new version', async () => {
  let conflicts = 0;
  const { api, live } = server(LIVE, ({ method, path, query }) => {
    if (method !== 'PATCH' || query?.['dryRun'] !== undefined || !path.endsWith('/web') || conflicts > 0) return null;
    conflicts += 1;
    live.set('deployments/web', { ...web.after, metadata: { ...web.after.metadata, resourceVersion: '9' } });
    return failure(409, 'the object has been modified');
  });
  assert.equal((await rollBack([web], outside(api))).outcome, 'rolled-back');
});

test('a conflict because somebody else changed it ends the rollback, and theirs stays', async () => {
  const { api, live, changing } = server(LIVE, ({ method, path, query }) => {
    if (method !== 'PATCH' || query?.['dryRun'] !== undefined || !path.endsWith('/web')) return null;
    live.set('deployments/web', deployment('app:theirs'));
    return failure(409, 'the object has been modified');
  });
  const told = await rollBack([settings, web], outside(api));
  assert.equal(told.outcome, 'failed');
  assert.match(told.reason, /changed by somebody else/);
  assert.deepEqual(
    told.objects.map((each) => each.action),
    ['restored', 'left'],
  );
  assert.equal(changing().filter((each) => each.path.endsWith('/web')).length, 1);
});

test('a rollback that does not become ready has failed, and is not repeated', async () => {
  const { api, changing } = server(LIVE, () => null);
  const told = await rollBack([web], outside(api, 'Deployment/web: no room'));
  assert.equal(told.outcome, 'failed');
  assert.match(told.reason, /no room/);
  assert.equal(changing().length, 2);
});
