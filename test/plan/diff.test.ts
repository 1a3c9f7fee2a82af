import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { diff } from '../../src/plan/diff.ts';

function object(spec: unknown, metadata: KubernetesObject['metadata'] = {}, kind = 'Deployment'): KubernetesObject {
  return { apiVersion: kind === 'Secret' ? 'v1' : 'apps/v1', kind, metadata: { name: 'web', ...metadata }, spec };
}

function pod(...containers: readonly object[]): unknown {
  return { template: { spec: { containers } } };
}

describe('what differs', () => {
  test('is named as a person would write it', () => {
    const before = object(pod({ name: 'app', image: 'a:1', ports: [{ containerPort: 80 }] }, { name: 'side' }));
    const after = object(pod({ name: 'app', image: 'a:2', ports: [{ containerPort: 80, name: 'http' }] }), {
      labels: { 'app.kubernetes.io/name': 'web' },
    });
    assert.deepEqual(diff(before, after), [
      { path: 'spec.template.spec.containers[app].image', from: 'a:1', to: 'a:2' },
      { path: 'spec.template.spec.containers[app].ports[80].name', from: undefined, to: 'http' },
      { path: 'spec.template.spec.containers[side]', from: { name: 'side' }, to: undefined },
      { path: 'metadata.labels', from: undefined, to: { 'app.kubernetes.io/name': 'web' } },
    ]);
  });

  test('a key with dots is bracketed', () => {
    const changes = diff(object({}, { labels: { 'a.b/c': '1' } }), object({}, { labels: { 'a.b/c': '2' } }));
    assert.deepEqual(changes, [{ path: 'metadata.labels[a.b/c]', from: '1', to: '2' }]);
  });

  test('another order of the same items is a change of the list', () => {
    const changes = diff(object(pod({ name: 'a' }, { name: 'b' })), object(pod({ name: 'b' }, { name: 'a' })));
    assert.deepEqual(changes, [{ path: 'spec.template.spec.containers', from: ['a', 'b'], to: ['b', 'a'] }]);
  });

  test('an object that was not there has no differences: it is created', () => {
    assert.deepEqual(diff(null, object({ replicas: 1 })), []);
  });

  test('what the server and kubectl keep for themselves is none', () => {
    const before = object({}, { resourceVersion: '1', generation: 1, uid: 'a' });
    const after: KubernetesObject = {
      ...object(
        {},
        {
          resourceVersion: '2',
          generation: 2,
          managedFields: [{ manager: 'x' }],
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aHVudGVyMg=="}}',
            'deprecated.daemonset.template.generation': '2',
          },
        },
      ),
      status: { replicas: 3 },
    };
    assert.deepEqual(diff(before, after), []);
    assert.deepEqual(diff(after, before), []);
  });
});

describe('values that are nobody’s business', () => {
  const secret = (data: object | undefined): KubernetesObject => ({ ...object(undefined, {}, 'Secret'), data });

  test('those of a Secret are hidden on both sides, whether one value or all come, change or go', () => {
    const cases = [
      [{ a: 'aHVudGVyMg==' }, { a: 'aHVudGVyMw==' }],
      [{ a: 'aHVudGVyMg==' }, undefined],
      [undefined, { a: 'aHVudGVyMg==' }],
      [{}, { a: 'aHVudGVyMg==' }],
    ] as const;
    for (const [from, to] of cases) {
      const changes = diff(secret(from), secret(to));
      assert.equal(changes.length, 1);
      assert.match(changes[0]?.path ?? '', /^data/);
      assert.ok(!JSON.stringify(changes).includes('aHVud'), JSON.stringify(changes));
    }
  });

  test('those of variables that are named like a secret too, also inside a container that is new', () => {
    const variable = (value: string) => ({ name: 'DB_PASSWORD', value });
    const plain = { name: 'PORT', value: '8080' };
    const one = object(pod({ name: 'app', env: [variable('hunter2'), plain] }));
    const two = object(
      pod({ name: 'app', env: [variable('hunter3'), plain] }, { name: 'new', env: [variable('hunter4'), plain] }),
    );
    const text = JSON.stringify(diff(one, two));
    assert.ok(!text.includes('hunter'), text);
    assert.ok(text.includes('8080'), text);
  });
});

describe('for any objects', () => {
  const arbitrary = fc.jsonValue({ maxDepth: 4 });

  test('an object does not differ from its copy', () => {
    fc.assert(
      fc.property(arbitrary, (spec) => assert.deepEqual(diff(object(spec), object(structuredClone(spec))), [])),
    );
  });

  test('two differ if and only if there is a change, and each change is a true difference', () => {
    fc.assert(
      fc.property(arbitrary, arbitrary, (a, b) => {
        const changes = diff(object(a), object(b));
        assert.equal(changes.length === 0, isEqual(a, b));
        for (const { from, to } of changes) assert.notDeepStrictEqual(from, to);
        assert.equal(new Set(changes.map(({ path }) => path)).size, changes.length);
      }),
      { ignoreEqualValues: true },
    );
  });

  test('there and back are the same changes, turned round', () => {
    fc.assert(
      fc.property(arbitrary, arbitrary, (a, b) => {
        const turned = diff(object(b), object(a)).map(({ path, from, to }) => ({ path, from: to, to: from }));
        const sorted = (changes: readonly { readonly path: string }[]) =>
          [...changes].sort((x, y) => (x.path < y.path ? -1 : 1));
        assert.deepEqual(sorted(turned), sorted(diff(object(a), object(b))));
      }),
    );
  });

  function isEqual(a: unknown, b: unknown): boolean {
    try {
      assert.deepStrictEqual(a, b);
      return true;
    } catch {
      return false;
    }
  }
});
