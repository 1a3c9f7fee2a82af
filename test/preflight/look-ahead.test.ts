import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookAhead } from '../../src/look-ahead.ts';
import { lookupKey } from '../../src/rollout/store.ts';
import type { Lookup } from '../../src/rollout/view.ts';
import { cluster, deployment, sceneOf } from './scenes.ts';

const SHARED = deployment('', '', 'volumes: [{name: v, persistentVolumeClaim: {claimName: p}}]');

test('reads once, and reads on where an answer leads', async () => {
  const asked: string[] = [];
  const objects = {
    PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteOnce'], volumeName: 'pv' } },
    PersistentVolume: { spec: {} },
  };
  const answer = cluster({
    existing: ['PersistentVolumeClaim/p'],
    object: ({ ref }: Extract<Lookup, { kind: 'object' }>) => objects[ref.kind as keyof typeof objects] ?? null,
  });
  const warnings = await lookAhead(sceneOf({ yaml: SHARED }).objects, async (lookup) => {
    asked.push(lookupKey(lookup));
    return { state: 'known', value: answer(lookup), at: 0 };
  });
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['VolumeAttachBlocked'],
  );
  assert.equal(new Set(asked).size, asked.length);
  assert.ok(asked.some((key) => key.includes('"PersistentVolume"')));
});

test('reads that fail are no warning and no error', async () => {
  const yaml = `${SHARED}---\n${deployment('resources: {requests: {cpu: 900}}\n        envFrom: [{secretRef: {name: s}}]', 'replicas: 3', '', 'api')}`;
  for (const known of [
    { state: 'failed', reason: 'broken', at: 0 },
    { state: 'forbidden', right: 'list anything', at: 0 },
  ] as const)
    assert.deepEqual(await lookAhead(sceneOf({ yaml }).objects, async () => known), []);
});

test('a manifest that needs nothing of the cluster costs no read', async () => {
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n';
  assert.deepEqual(await lookAhead(sceneOf({ yaml }).objects, () => assert.fail('a read')), []);
});

test('the reads of a large manifest are bounded', async () => {
  const env = Array.from(
    { length: 900 },
    (_, index) => `{name: V${index}, valueFrom: {secretKeyRef: {name: s${index}, key: k}}}`,
  );
  let reads = 0;
  await lookAhead(sceneOf({ yaml: deployment(`env: [${env.join(', ')}]`) }).objects, async () => {
    reads += 1;
    return { state: 'known', value: true, at: 0 };
  });
  assert.equal(reads, 500);
});
