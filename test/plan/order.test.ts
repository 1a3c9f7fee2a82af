import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ObjectRef } from '../../src/kubernetes.ts';
import { inOrder, isFoundation, rankOf } from '../../src/plan/order.ts';

function ref(kind: string, apiVersion: string, name = 'x'): ObjectRef {
  return { apiVersion, kind, namespace: '', name };
}

const LADDER = [
  ref('Namespace', 'v1'),
  ref('CustomResourceDefinition', 'apiextensions.k8s.io/v1'),
  ref('ResourceQuota', 'v1'),
  ref('ConfigMap', 'v1'),
  ref('ClusterRole', 'rbac.authorization.k8s.io/v1'),
  ref('RoleBinding', 'rbac.authorization.k8s.io/v1'),
  ref('Service', 'v1'),
  ref('Prometheus', 'monitoring.coreos.com/v1'),
  ref('Deployment', 'apps/v1'),
  ref('HorizontalPodAutoscaler', 'autoscaling/v2'),
  ref('MutatingWebhookConfiguration', 'admissionregistration.k8s.io/v1'),
] as const;

test('what others need comes first, webhooks last, whatever the order of the manifest', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...LADDER], { minLength: LADDER.length }), (shuffled) => {
      assert.deepEqual(
        inOrder(shuffled, (each) => each),
        LADDER,
      );
    }),
  );
});

test('within a rank the order of the manifest holds', () => {
  const kinds = LADDER.map(({ kind, apiVersion }) => ({ kind, apiVersion }));
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...kinds)), (chosen) => {
      const refs = chosen.map(({ kind, apiVersion }, index) => ref(kind, apiVersion, `${index}`));
      const ordered = inOrder(refs, (each) => each);
      assert.deepEqual(
        [...ordered].sort((a, b) => Number(a.name) - Number(b.name)),
        refs,
      );
      for (const [a, b] of ordered.slice(1).map((each, index) => [ordered[index] ?? each, each] as const))
        assert.ok(rankOf(a) < rankOf(b) || (rankOf(a) === rankOf(b) && Number(a.name) < Number(b.name)));
    }),
  );
});

test('the group decides, not the kind alone: a Service of Knative is a custom resource', () => {
  assert.equal(rankOf(ref('Service', 'serving.knative.dev/v1')), rankOf(ref('Anything', 'example.com/v1')));
  assert.equal(rankOf(ref('Deployment', 'apps/v1')), rankOf(ref('Deployment', 'apps/v1beta1')));
});

test('only namespaces and definitions have to be there before the rest can be checked', () => {
  assert.deepEqual(
    LADDER.filter(isFoundation).map((each) => each.kind),
    ['Namespace', 'CustomResourceDefinition'],
  );
});
