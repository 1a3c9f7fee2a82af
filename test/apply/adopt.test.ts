import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type AdoptionPatch, adoptionPatch } from '../../src/apply/adopt.ts';
import { type FieldSet, missingFrom, owns, union, within } from '../../src/apply/managed-fields.ts';
import type { KubernetesObject, ManagedFieldsEntry } from '../../src/kubernetes.ts';

const NOTE = 'kubectl.kubernetes.io/last-applied-configuration';
const NOTE_FIELD = { 'f:metadata': { 'f:annotations': { [`f:${NOTE}`]: {} } } };

function entry(manager: string, operation: string, fieldsV1: object, subresource?: string): ManagedFieldsEntry {
  const base = {
    manager,
    operation,
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    time: '2026-01-02T12:00:00Z',
    fieldsV1,
  };
  return subresource === undefined ? base : { ...base, subresource };
}

function live(managedFields: readonly ManagedFieldsEntry[], note?: string): KubernetesObject {
  const annotations = note === undefined ? {} : { annotations: { [NOTE]: note } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', resourceVersion: '7', managedFields, ...annotations },
  };
}

function entriesOf(patch: AdoptionPatch | null): readonly ManagedFieldsEntry[] {
  return (patch?.find(({ path }) => path === '/metadata/managedFields')?.value ?? []) as readonly ManagedFieldsEntry[];
}

const replicas = { 'f:spec': { 'f:replicas': {} } };
const paused = { 'f:spec': { 'f:paused': {} } };
const both = { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } };

describe('after a client-side apply', () => {
  test('its fields are ours, and it is gone; the patch holds for the version that was read', () => {
    const patch = adoptionPatch(live([entry('kubectl-client-side-apply', 'Update', both)]), 'rollout-gate');
    assert.deepEqual(entriesOf(patch), [{ ...entry('rollout-gate', 'Apply', both) }]);
    assert.deepEqual(patch?.[1], { op: 'replace', path: '/metadata/resourceVersion', value: '7' });
  });

  test('what was ours already is joined with it', () => {
    const before = live([
      entry('rollout-gate', 'Apply', paused),
      entry('kubectl-client-side-apply', 'Update', replicas),
    ]);
    assert.deepEqual(
      entriesOf(adoptionPatch(before, 'rollout-gate')).map((each) => [each.manager, each.fieldsV1]),
      [['rollout-gate', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }]],
    );
  });

  test('under another name it is known by the note that it owns', () => {
    const before = live([entry('my-ci', 'Update', union(replicas, NOTE_FIELD))]);
    assert.deepEqual(
      entriesOf(adoptionPatch(before, 'rollout-gate')).map((each) => each.manager),
      ['rollout-gate'],
    );
  });

  test('others keep what is theirs: a server-side apply, an update, the status, the scale', () => {
    const others = [
      entry('kubectl', 'Apply', replicas),
      entry('kubectl-edit', 'Update', replicas),
      entry('kube-controller-manager', 'Update', replicas, 'status'),
      entry('kubectl-client-side-apply', 'Update', replicas, 'scale'),
    ];
    const before = live([entry('kubectl-client-side-apply', 'Update', paused), ...others]);
    assert.deepEqual(entriesOf(adoptionPatch(before, 'rollout-gate')).slice(1), others);
    assert.equal(adoptionPatch(live(others), 'rollout-gate'), null);
  });

  test('nothing is adopted twice', () => {
    const patch = adoptionPatch(live([entry('kubectl-client-side-apply', 'Update', both)]), 'rollout-gate');
    assert.equal(adoptionPatch(live(entriesOf(patch)), 'rollout-gate'), null);
  });
});

describe('what was there before any owner was noted', () => {
  const all = union(both, union(NOTE_FIELD, { 'f:spec': { 'f:clusterIP': {} } }));

  test('is ours as far as kubectl had applied it: what the cluster filled in must not go', () => {
    const before = live([entry('before-first-apply', 'Update', all)], JSON.stringify({ spec: { replicas: 1 } }));
    assert.deepEqual(
      entriesOf(adoptionPatch(before, 'rollout-gate')).map((each) => [each.manager, each.fieldsV1]),
      [['rollout-gate', union(replicas, NOTE_FIELD)]],
    );
  });

  test('is nobody’s where nothing is known of an earlier apply', () => {
    for (const note of [undefined, 'no json', 'null', '3']) {
      const [only] = entriesOf(
        adoptionPatch(live([entry('before-first-apply', 'Update', both)], note), 'rollout-gate'),
      );
      assert.ok(!owns((only?.fieldsV1 ?? {}) as FieldSet, ['f:spec', 'f:replicas']), `${note}`);
    }
  });
});

describe('field sets', () => {
  const fields: fc.Arbitrary<FieldSet> = fc.letrec<{ set: FieldSet }>((tie) => ({
    set: fc.dictionary(
      fc.constantFrom('f:a', 'f:b', 'f:c', '.'),
      fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('set')),
      {
        maxKeys: 3,
      },
    ),
  })).set;

  function paths(set: FieldSet): readonly string[] {
    return Object.entries(set).flatMap(([key, inner]) => [
      key,
      ...paths(inner as FieldSet).map((rest) => `${key}/${rest}`),
    ]);
  }

  test('a union owns what either owns, and nothing else', () => {
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        assert.deepEqual(new Set(paths(union(a, b))), new Set([...paths(a), ...paths(b)]));
      }),
    );
  });

  test('each part is either within an object or missing from it', () => {
    const object = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer()),
    );
    fc.assert(
      fc.property(fields, object, (set, value) => {
        const inside = paths(within(set, value));
        const outside = missingFrom(value, set).map((keys) => keys.join('/'));
        for (const path of paths(set)) {
          const isOutside = outside.some((each) => path === each || path.startsWith(`${each}/`));
          assert.equal(inside.includes(path), !isOutside, path);
        }
      }),
    );
  });

  test('items of lists are known by their keys, their default protocol and their values', () => {
    const object = { ports: [{ containerPort: 80 }], finalizers: ['a'] };
    const set = {
      'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': {}, 'k:{"containerPort":80,"protocol":"UDP"}': {} },
      'f:finalizers': { 'v:"a"': {}, 'v:"b"': {} },
    };
    assert.deepEqual(missingFrom(object, set), [
      ['f:ports', 'k:{"containerPort":80,"protocol":"UDP"}'],
      ['f:finalizers', 'v:"b"'],
    ]);
  });
});
