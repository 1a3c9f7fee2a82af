import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { decode, encode } from '../../src/ledger/encode.ts';
import { isKept, keptOf } from '../../src/ledger/kept.ts';
import { EMPTY, type Ledger, type ProvenState, withState } from '../../src/ledger/ledger.ts';
import { configMap, deployment } from '../rollback/scenes.ts';

function state(run: string, value: string, proof: ProvenState['proof'] = 'soaked'): ProvenState {
  return { run, at: '2026-12-01T12:00:00Z', proof, objects: [configMap('settings', { value }), deployment('app:v1')] };
}

const object = fc
  .record({ name: fc.stringMatching(/^[a-z]{1,8}$/), value: fc.string() })
  .map(({ name, value }) => configMap(name, { value }));
const states = fc.array(
  fc.record({
    run: fc.string(),
    at: fc.constant('2026-12-01T12:00:00Z'),
    proof: fc.constantFrom('soaked' as const, 'ready' as const),
    objects: fc.array(object),
  }),
);
const steps = fc.array(
  fc.oneof(
    fc.record({ action: fc.constant('restore' as const), before: object, after: object }),
    fc.record({ action: fc.constant('delete' as const), after: object }),
  ),
);

test('property: what is written is what is read', () => {
  fc.assert(
    fc.property(states, steps, fc.boolean(), (all, open, isOpen) => {
      const ledger: Ledger = { states: all, open: isOpen ? { run: 'r', at: 't', steps: open } : null };
      const encoded = encode(ledger);
      assert.ok('base64' in encoded);
      assert.deepEqual(decode(encoded.base64), structuredClone(ledger));
    }),
  );
});

test('the same object of several states is written once', () => {
  const noise = randomBytes(20_000).toString('hex');
  const size = (count: number) => {
    const all = Array.from({ length: count }, (_, index) => state(`run ${index}`, noise));
    const encoded = encode({ states: all, open: null });
    return 'base64' in encoded ? encoded.base64.length : 0;
  };
  assert.ok(size(5) < size(1) * 1.1, `${size(5)} of ${size(1)}`);
});

test('the oldest states make room, and a state that never fits is refused with its size', () => {
  const big = (bytes: number) => randomBytes(bytes).toString('hex');
  const ledger: Ledger = {
    states: [state('new', big(400_000)), state('old', big(400_000)), state('older', big(400_000))],
    open: null,
  };
  const encoded = encode(ledger);
  assert.ok('ledger' in encoded);
  assert.deepEqual(
    encoded.ledger.states.map((each) => each.run),
    ['new', 'old'],
  );
  const three = encode({ states: [state('new', big(500_000)), state('old', big(600_000))], open: null });
  assert.deepEqual('ledger' in three ? three.ledger.states.map((each) => each.run) : [], ['new']);
  const never = encode({ states: [state('new', big(1_100_000))], open: null });
  assert.ok('tooLarge' in never && never.tooLarge > 1024 * 1024);
});

test('what was tampered with, or comes from a newer program, is not trusted', () => {
  const encoded = (value: unknown) => gzipSync(JSON.stringify(value)).toString('base64');
  assert.throws(() => decode(encoded({ version: 2, objects: {}, states: [], open: null })), /version 2/);
  const moved = {
    version: 1,
    objects: { abc: configMap('a', {}) },
    states: [{ run: '', at: '', proof: 'soaked', objects: ['abc'] }],
    open: null,
  };
  assert.throws(() => decode(encoded(moved)), /missing or was changed/);
  assert.throws(() => decode('bm8gZ3ppcA=='));
  assert.throws(() => decode(''));
});

test('a state is noted once, a better proof replaces a weaker, and five are kept', () => {
  const once = withState(EMPTY, state('1', 'a', 'ready'));
  assert.equal(withState(once, state('2', 'a', 'ready')), once);
  assert.deepEqual(
    withState(once, state('2', 'a')).states.map((each) => [each.run, each.proof]),
    [['2', 'soaked']],
  );
  const proven = withState(EMPTY, state('1', 'a'));
  assert.equal(withState(proven, state('2', 'a', 'ready')), proven);
  const many = ['b', 'c', 'd', 'e', 'f', 'g'].reduce((ledger, value) => withState(ledger, state(value, value)), proven);
  assert.deepEqual(
    many.states.map((each) => each.run),
    ['g', 'f', 'e', 'd', 'c'],
  );
});

test('no status, no bookkeeping and no mark of the gate itself is kept, and nothing that runs once or holds data', () => {
  const web: KubernetesObject = {
    ...deployment('app:v1'),
    metadata: {
      ...deployment('app:v1').metadata,
      annotations: { 'rollout-gate/proven': '{}', team: 'shop' },
      managedFields: [
        { manager: 'rollout-gate' },
        { manager: 'kube-controller-manager', subresource: 'status' },
        { manager: 'rollout-gate-ledger' },
      ],
    },
  };
  const kept = keptOf(web);
  assert.equal(kept['status'], undefined);
  assert.deepEqual(kept.metadata.annotations, { team: 'shop' });
  assert.deepEqual(kept.metadata.managedFields, [{ manager: 'rollout-gate' }]);
  assert.equal(kept.metadata.resourceVersion, undefined);
  const of = (apiVersion: string, kind: string, namespace: string) =>
    isKept({ apiVersion, kind, metadata: { name: 'x', namespace } });
  assert.ok(of('v1', 'Secret', 'shop') && of('example.com/v1', 'Widget', 'shop'));
  assert.ok(!of('v1', 'Namespace', '') && !of('batch/v1', 'Job', 'shop') && !of('v1', 'PersistentVolumeClaim', 'shop'));
});
