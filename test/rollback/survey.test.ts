import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Applied } from '../../src/apply/applied.ts';
import type { Api } from '../../src/cluster/api.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { survey } from '../../src/rollback/survey.ts';
import { applied, configMap, deployment } from './scenes.ts';

const EXTRA = applied(null, configMap('extra', {}));
const NAMES_EXTRA = { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'extra' } }] }] };

function object(apiVersion: string, kind: string, more: object, owners: readonly object[] = []): KubernetesObject {
  const metadata = { name: 'other', namespace: 'shop', uid: 'uid-other', ownerReferences: owners as never };
  return { apiVersion, kind, metadata, ...more };
}

/** A namespace with these objects, of which some kinds may not be listed. */
function namespace(objects: readonly KubernetesObject[], forbidden: readonly string[] = []): Api {
  return {
    server: 'https://cluster.example:6443',
    namespace: 'shop',
    now: () => 0,
    resource: async (apiVersion, kind) => ({ apiVersion, kind, plural: kind.toLowerCase(), namespaced: true }),
    request: async ({ path }) => {
      const [kind = '', name] = path.split('/namespaces/shop/')[1]?.split('/') ?? [];
      const found = objects.filter((each) => each.kind.toLowerCase() === kind);
      if (name !== undefined) {
        const one = found.find((each) => each.metadata.name === name);
        return one === undefined
          ? { ok: false, status: 404, failure: { code: 404 } }
          : { ok: true, status: 200, body: one };
      }
      if (forbidden.includes(kind)) return { ok: false, status: 403, failure: { code: 403 } };
      return { ok: true, status: 200, body: { items: found } };
    },
  };
}

async function userOfExtra(
  others: readonly KubernetesObject[],
  more: readonly Applied[] = [],
  forbidden: readonly string[] = [],
): Promise<string> {
  const all = [EXTRA, ...more].map((each) => ({ applied: each, proven: false, stays: '' }));
  const live = [EXTRA, ...more].map((each) => each.after);
  const [extra] = await survey(all, namespace([...live, ...others], forbidden));
  return extra?.usedBy ?? 'not surveyed';
}

describe('what this run created is in use', () => {
  for (const [what, other, user] of [
    [
      'by a workload of others that names it',
      object('apps/v1', 'Deployment', { spec: NAMES_EXTRA }),
      'Deployment/other',
    ],
    ['by a bare Pod that names it', object('v1', 'Pod', { spec: NAMES_EXTRA }), 'Pod/other'],
    [
      'by an Ingress that leads to it',
      object('networking.k8s.io/v1', 'Ingress', { spec: { defaultBackend: { service: { name: 'extra' } } } }),
      'Ingress/other',
    ],
    [
      'by a RoleBinding of which it is the subject',
      object('rbac.authorization.k8s.io/v1', 'RoleBinding', { subjects: [{ kind: 'ServiceAccount', name: 'extra' }] }),
      'RoleBinding/other',
    ],
  ] as const)
    test(what, async () => assert.equal(await userOfExtra([other]), user));

  for (const [what, other] of [
    ['by nothing, if no one names it', object('apps/v1', 'Deployment', { spec: { containers: [] } })],
    [
      'not by a Pod that another object owns, which names it itself',
      object('v1', 'Pod', { spec: NAMES_EXTRA }, [{ kind: 'ReplicaSet', name: 'r', uid: 'u' }]),
    ],
    [
      'not where only a longer name begins like it',
      object('v1', 'Pod', { spec: { serviceAccountName: 'extra-long' } }),
    ],
    ['not where only a status names it', object('v1', 'Pod', { status: { message: 'extra' } })],
  ] as const)
    test(what, async () => assert.equal(await userOfExtra([other]), ''));

  test('not by what this run applied as well, and goes with it', async () => {
    const after = { ...deployment('app:v2'), spec: NAMES_EXTRA };
    assert.equal(await userOfExtra([], [applied(deployment('app:v1'), after)]), '');
  });

  test('by what this run changed, if that named it before already', async () => {
    const before = { ...deployment('app:v1'), spec: NAMES_EXTRA };
    assert.equal(await userOfExtra([], [applied(before, deployment('app:v2'))]), 'Deployment/web');
  });

  test('perhaps, where a kind may not be listed', async () => {
    assert.equal(await userOfExtra([], [], ['cronjob']), 'something that may not be read (CronJob)');
  });
});

test('an object that is gone is surveyed as gone, and one that cannot be read stops the rollback before it begins', async () => {
  const aimed = [{ applied: EXTRA, proven: false, stays: '' }];
  assert.equal((await survey(aimed, namespace([])))[0]?.live, null);
  const refusing: Api = {
    ...namespace([]),
    request: async () => ({ ok: false, status: 403, failure: { code: 403, message: 'not yours' } }),
  };
  await assert.rejects(survey(aimed, refusing), /ConfigMap\/extra could not be read: not yours/);
});

describe('replicas', () => {
  const scaler = (kind: string) =>
    object('autoscaling/v2', 'HorizontalPodAutoscaler', { spec: { scaleTargetRef: { kind, name: 'web' } } });
  const web = applied(deployment('app:v1'), deployment('app:v2'));
  for (const [what, others, forbidden, autoscaled] of [
    ['belong to an autoscaler that targets the workload', [scaler('Deployment')], [], 'yes'],
    ['do not belong to one of a StatefulSet of the same name', [scaler('StatefulSet')], [], 'no'],
    ['may belong to one that may not be listed', [], ['horizontalpodautoscaler'], 'unknown'],
  ] as const)
    test(what, async () => {
      const aimed = [{ applied: web, proven: false, stays: '' }];
      const [found] = await survey(aimed, namespace([web.after, ...others], forbidden));
      assert.equal(found?.autoscaled, autoscaled);
    });
});
