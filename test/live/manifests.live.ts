import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Applied } from '../../src/apply/applied.ts';
import { apply } from '../../src/apply/apply.ts';
import { resourcePath } from '../../src/cluster/api.ts';
import { type Connection, connect } from '../../src/cluster/connect.ts';
import { type KubernetesObject, type ObjectRef, shortName } from '../../src/kubernetes.ts';
import { readManifest } from '../../src/manifest/read.ts';
import { plan } from '../../src/plan/plan.ts';
import { skip as noCluster } from './cluster.ts';

/** Manifests that well-known projects publish; they are not part of this repository. */
const FOLDER = path.resolve(import.meta.dirname, '../../../shared/manifests');
const skip = noCluster || (existsSync(FOLDER) ? false : `${FOLDER} is not there`);
const NAMESPACE = `gate-manifests-${Math.random().toString(36).slice(2, 7)}`;
/** Objects go at once, but for definitions and namespaces, which wait for what is in them. */
const GONE_MS = 300_000;

let connection: Connection;

before(async () => {
  if (skip !== false) return;
  connection = await connect({ kubeconfig: '', context: '' }, process.env, { onSecret: () => undefined });
});

after(async () => {
  if (skip === false) await connection.close();
});

const PROJECTS: readonly { readonly name: string; readonly manifests: readonly string[] }[] = [
  { name: 'argo-cd', manifests: ['argo-cd/manifests/install.yaml'] },
  { name: 'cloudnative-pg', manifests: ['cloudnative-pg/releases'] },
  { name: 'ingress-nginx', manifests: ['ingress-nginx/deploy/static/provider/kind'] },
  { name: 'online-boutique', manifests: ['online-boutique/release/kubernetes-manifests.yaml'] },
  { name: 'kube-prometheus', manifests: ['kube-prometheus/manifests'] },
];

for (const project of PROJECTS) {
  test(`${project.name}: planned, applied whole, and unchanged the second time`, {
    skip,
    timeout: 300_000,
  }, async (t) => {
    const options = { namespace: NAMESPACE, fieldManager: 'rollout-gate', forceConflicts: false, images: [] };
    const manifest = await readManifest({ ...options, manifests: project.manifests }, FOLDER);
    const applied: Applied[] = [];
    await create(NAMESPACE);
    try {
      const began = performance.now();
      const planned = await plan(manifest, connection, options);
      const done = performance.now();
      await apply(planned, connection, options, (each) => applied.push(each));
      const deferred = planned.objects.filter((each) => each.deferred !== '').length;
      t.diagnostic(
        `${applied.length} objects (${deferred} deferred): plan ${Math.round(done - began)} ms, apply ${Math.round(performance.now() - done)} ms`,
      );
      assert.equal(applied.length, manifest.documents.length);
      const again = await plan(manifest, connection, options);
      const differing = again.objects.filter((each) => each.action !== 'keep' || each.deferred !== '');
      assert.deepEqual(
        differing.map((each) => [shortName(each.ref), each.changes]),
        [],
      );
      await networkPoliciesAreWhole(applied);
    } finally {
      await remove([...applied].reverse());
    }
  });
}

/** A client that loses `from` turns a policy into one that allows all. */
async function networkPoliciesAreWhole(applied: readonly Applied[]): Promise<void> {
  for (const { ref, after: live } of applied.filter((each) => each.ref.kind === 'NetworkPolicy')) {
    const spec = live['spec'] as { readonly ingress?: readonly { readonly from?: unknown }[] };
    const stored = (await read(ref))?.['spec'] as typeof spec | undefined;
    assert.deepEqual(stored?.ingress, spec.ingress, shortName(ref));
  }
}

async function create(namespace: string): Promise<void> {
  const answer = await connection.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}`,
    query: { fieldManager: 'manifests-test' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  assert.ok(answer.ok, JSON.stringify(answer));
}

async function read(ref: ObjectRef): Promise<KubernetesObject | null> {
  const answer = await connection.request({ method: 'GET', path: await pathOf(ref) });
  return answer.ok ? (answer.body as KubernetesObject) : null;
}

async function pathOf(ref: ObjectRef): Promise<string> {
  const resource = await connection.resource(ref.apiVersion, ref.kind);
  const served = resource ?? (await connection.resource(ref.apiVersion, ref.kind, { fresh: true }));
  assert.ok(served, `${ref.kind} is not served`);
  return resourcePath(served, ref.namespace, ref.name);
}

/** Webhooks and aggregated APIs first: without their pods they would break the cluster for others. */
async function remove(applied: readonly Applied[]): Promise<void> {
  const refs = [...applied.filter((each) => each.action === 'created').map((each) => each.ref), namespaceRef()];
  for (const ref of refs) {
    const query = { propagationPolicy: 'Background', gracePeriodSeconds: '0' };
    const answer = await connection.request({ method: 'DELETE', path: await pathOf(ref), query });
    assert.ok(answer.ok || answer.status === 404, `${shortName(ref)}: ${JSON.stringify(answer)}`);
  }
  const slow = refs.filter((ref) => ref.kind === 'Namespace' || ref.kind === 'CustomResourceDefinition');
  const end = performance.now() + GONE_MS;
  for (const ref of slow) {
    while ((await read(ref)) !== null) {
      assert.ok(performance.now() < end, `${shortName(ref)} is still there`);
      await sleep(500);
    }
  }
}

function namespaceRef(): ObjectRef {
  return { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: NAMESPACE };
}
