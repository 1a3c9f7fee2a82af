import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ControllerRevision, DaemonSet, Deployment, PodTemplateSpec, ReplicaSet } from '../../src/kubernetes.ts';
import { daemonSetRevision, newReplicaSet } from '../../src/rollout/revision.ts';

type Container = Readonly<Record<string, unknown>>;

/** A template as Kubernetes 1.36 returns it, defaults filled in. */
function template(container: Container = {}, labels: Readonly<Record<string, string>> = {}): PodTemplateSpec {
  return {
    metadata: { labels: { app: 'web', ...labels } },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'registry.local/app:v1',
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePath: '/dev/termination-log',
          ...container,
        },
      ],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      volumes: [{ name: 'scratch', emptyDir: {} }],
    },
  };
}

function deployment(spec: PodTemplateSpec): Deployment {
  return {
    metadata: { name: 'web', uid: 'd-1' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: spec },
  };
}

function replicaSet(
  name: string,
  created: string,
  carried: PodTemplateSpec,
  owner: { readonly uid: string; readonly controller?: boolean } = { uid: 'd-1', controller: true },
): ReplicaSet {
  const hash = { 'pod-template-hash': name.slice(name.lastIndexOf('-') + 1) };
  return {
    metadata: {
      name,
      creationTimestamp: created,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', ...owner }],
    },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        ...carried,
        metadata: { ...carried.metadata, labels: { ...carried.metadata?.labels, ...hash } },
      },
    },
  };
}

const EARLY = '2026-12-01T13:31:43Z';
const LATE = '2026-12-01T13:32:18Z';

function nameOf(set: ReplicaSet | null): string | null {
  return set?.metadata?.name ?? null;
}

describe('the ReplicaSet of a Deployment', () => {
  const v1 = template();
  const v2 = template({ image: 'registry.local/app:v2' });
  const sets = [replicaSet('web-599799cdc8', LATE, v2), replicaSet('web-544648c585', EARLY, v1)];

  test('carries its template, whatever the hash label says', () => {
    assert.equal(nameOf(newReplicaSet(deployment(v2), sets)), 'web-599799cdc8');
  });

  test('an old one is taken up again when its template comes back', () => {
    assert.equal(nameOf(newReplicaSet(deployment(v1), sets)), 'web-544648c585');
  });

  test('is null as long as the controller has not made it', () => {
    assert.equal(newReplicaSet(deployment(template({ image: 'registry.local/app:v3' })), sets), null);
    assert.equal(newReplicaSet(deployment(v1), []), null);
  });

  test('a template that uses the hash label itself is told apart by nothing but that label: it counts as equal', () => {
    assert.equal(
      nameOf(newReplicaSet(deployment(template({}, { 'pod-template-hash': 'by-hand' })), sets)),
      'web-544648c585',
    );
  });

  test('one of another owner, or of no controller, is never it', () => {
    const foreign = [
      replicaSet('web-a', EARLY, v1, { uid: 'd-2', controller: true }),
      replicaSet('web-b', EARLY, v1, { uid: 'd-1' }),
    ];
    assert.equal(newReplicaSet(deployment(v1), foreign), null);
  });

  test('of several the oldest counts, then the first by name, in whichever order they are listed', () => {
    const three = [
      replicaSet('web-b', EARLY, v1),
      replicaSet('web-a', EARLY, v1),
      replicaSet('web-0', LATE, v1),
    ] as const;
    fc.assert(
      fc.property(fc.shuffledSubarray([...three], { minLength: 3 }), (shuffled) => {
        assert.equal(nameOf(newReplicaSet(deployment(v1), shuffled)), 'web-a');
      }),
    );
  });

  for (const [before, after, same] of [
    ['1Gi', '1073741824', true],
    ['1Gi', '1024Mi', true],
    ['0.5', '500m', true],
    ['1G', '1Gi', false],
    ['1073741824', '1073741825', false],
  ] as const) {
    test(`resources that change from ${before} to ${after} ${same ? 'keep' : 'end'} the ReplicaSet`, () => {
      const [old, present] = [before, after].map((memory) => template({ resources: { limits: { memory } } }));
      const found = newReplicaSet(deployment(present as PodTemplateSpec), [
        replicaSet('web-a', EARLY, old as PodTemplateSpec),
      ]);
      assert.equal(nameOf(found), same ? 'web-a' : null);
    });
  }

  test('a text that only looks like a quantity is compared as text', () => {
    const [old, present] = ['1k', '1000'].map((value) => template({ env: [{ name: 'LIMIT', value }] }));
    const found = newReplicaSet(deployment(present as PodTemplateSpec), [
      replicaSet('web-a', EARLY, old as PodTemplateSpec),
    ]);
    assert.equal(found, null);
  });

  test('any other difference of the container ends it', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('image', 'command', 'args', 'tty', 'workingDir'), fc.jsonValue({ maxDepth: 2 }), {
          minKeys: 1,
        }),
        (change) => {
          const present = template(change);
          const equal = JSON.stringify(present) === JSON.stringify(v1);
          const found = newReplicaSet(deployment(present), [replicaSet('web-a', EARLY, v1)]);
          assert.equal(nameOf(found), equal ? 'web-a' : null);
          assert.equal(
            nameOf(newReplicaSet(deployment(present), [replicaSet('web-b', EARLY, structuredClone(present))])),
            'web-b',
          );
        },
      ),
    );
  });
});

describe('the revision of a DaemonSet', () => {
  function daemonSet(spec: PodTemplateSpec): DaemonSet {
    return {
      metadata: { name: 'ds', uid: 'ds-1' },
      spec: { selector: { matchLabels: { app: 'web' } }, template: spec },
    };
  }

  function revision(hash: string, number: number, carried: PodTemplateSpec, uid = 'ds-1'): ControllerRevision {
    return {
      metadata: {
        name: `ds-${hash}`,
        labels: { app: 'web', 'controller-revision-hash': hash },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid, controller: true }],
      },
      revision: number,
      data: { spec: { template: { $patch: 'replace', ...carried } } } as unknown as object,
    };
  }

  const gigabyte = template({ resources: { limits: { memory: '1Gi' } } });
  const bytes = template({ resources: { limits: { memory: '1073741824' } } });
  const history = [revision('544f487565', 2, bytes), revision('6f9b9cbcc5', 1, gigabyte)];

  test('is that of the template, compared as text: here the controller takes two spellings of a quantity for two', () => {
    assert.equal(daemonSetRevision(daemonSet(bytes), history), '544f487565');
    assert.equal(daemonSetRevision(daemonSet(gigabyte), history), '6f9b9cbcc5');
  });

  test('is null as long as the controller has not written it', () => {
    assert.equal(daemonSetRevision(daemonSet(template({ image: 'x' })), history), null);
    assert.equal(daemonSetRevision(daemonSet(bytes), [revision('544f487565', 2, bytes, 'ds-2')]), null);
  });

  test('of several that carry the template the newest counts', () => {
    const twins = [revision('old', 3, bytes), revision('new', 4, bytes), revision('older', 1, bytes)];
    assert.equal(daemonSetRevision(daemonSet(bytes), twins), 'new');
  });
});
