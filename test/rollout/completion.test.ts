import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { at, deployment, type Moment, NOON, pod, replicaSet, running, targetOf, tell } from '../situation.ts';

const AVAILABLE = { conditions: [{ type: 'Available', status: 'True' }] } as const;

/** A Deployment of `replicas` that is wholly there, with its ReplicaSet. */
function done(replicas: number): { readonly web: KubernetesObject; readonly set: KubernetesObject } {
  const web = deployment({ replicas, status: { readyReplicas: replicas, availableReplicas: replicas, ...AVAILABLE } });
  return { web, set: replicaSet(web, { readyReplicas: replicas, availableReplicas: replicas }) };
}

function verdictOf(moments: readonly Moment[], target = targetOf(deployment())): string {
  const decision = tell({ targets: [target], moments }).standings[0]?.decision ?? null;
  if (decision === null) return 'undecided';
  return 'code' in decision ? `${decision.verdict} ${decision.code}` : decision.verdict;
}

test('complete, and stable for the soak', () => {
  const { web, set } = done(2);
  assert.equal(
    verdictOf([
      { seconds: 1, objects: [web, set] },
      { seconds: 9, objects: [] },
    ]),
    'undecided',
  );
  assert.equal(
    verdictOf([
      { seconds: 1, objects: [web, set] },
      { seconds: 11, objects: [] },
    ]),
    'succeeded',
  );
});

/** Each is a success that other tools were seen to report too early. */
const INCOMPLETE: readonly (readonly [string, KubernetesObject, Readonly<Record<string, unknown>>])[] = [
  [
    'the controller has not observed our generation',
    deployment({ status: { observedGeneration: 0, readyReplicas: 1, availableReplicas: 1, ...AVAILABLE } }),
    { readyReplicas: 1, availableReplicas: 1 },
  ],
  [
    'not every pod is updated',
    deployment({ replicas: 2, status: { updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2, ...AVAILABLE } }),
    { readyReplicas: 1, availableReplicas: 1 },
  ],
  [
    'old pods are still there',
    deployment({ status: { replicas: 2, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2, ...AVAILABLE } }),
    { readyReplicas: 1, availableReplicas: 1 },
  ],
  [
    'the ready pods are those of another ReplicaSet',
    deployment({ status: { readyReplicas: 1, availableReplicas: 1, ...AVAILABLE } }),
    { readyReplicas: 0, availableReplicas: 0 },
  ],
  [
    'ready, but not for minReadySeconds',
    deployment({ status: { readyReplicas: 1, availableReplicas: 0 } }),
    { readyReplicas: 1, availableReplicas: 0 },
  ],
  [
    'one replica, and none has to be available',
    deployment({ status: { readyReplicas: 0, availableReplicas: 0, ...AVAILABLE } }),
    { readyReplicas: 0, availableReplicas: 0 },
  ],
];

for (const [name, web, set] of INCOMPLETE) {
  test(`not complete: ${name}`, () => {
    const moments: readonly Moment[] = [
      { seconds: 1, objects: [web, replicaSet(web, set)] },
      { seconds: 60, objects: [] },
    ];
    assert.equal(verdictOf(moments, targetOf(web)), 'undecided');
  });
}

test('no replicas asked for: complete once the last one is gone', () => {
  const none = deployment({ replicas: 0, status: { replicas: 0, updatedReplicas: 0 } });
  assert.equal(
    verdictOf(
      [
        { seconds: 1, objects: [none, replicaSet(none)] },
        { seconds: 12, objects: [] },
      ],
      targetOf(none),
    ),
    'succeeded',
  );
});

function exceeded(updated: number): Readonly<Record<string, unknown>> {
  return {
    conditions: [
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', lastUpdateTime: at(updated) },
    ],
  };
}

test('a deadline of the rollout before ours is not believed, a fresh one is', () => {
  const stale = deployment({ spec: { progressDeadlineSeconds: 60 }, status: exceeded(-5) });
  const fresh = deployment({ spec: { progressDeadlineSeconds: 60 }, status: exceeded(61) });
  assert.equal(verdictOf([{ seconds: 5, objects: [stale, replicaSet(stale)] }], targetOf(stale)), 'undecided');
  assert.equal(verdictOf([{ seconds: 5, objects: [fresh, replicaSet(fresh)] }], targetOf(fresh)), 'timed-out');
});

test('our own clock ends a rollout that stands still, and every pod that becomes ready starts it again', () => {
  const spec = { progressDeadlineSeconds: 60 };
  const waiting = deployment({ replicas: 2, spec });
  const moving = deployment({ replicas: 2, spec, status: { readyReplicas: 1 } });
  const moments: readonly Moment[] = [
    { seconds: 1, objects: [waiting, replicaSet(waiting)] },
    { seconds: 50, objects: [moving, replicaSet(moving, { readyReplicas: 1 })] },
    { seconds: 100, objects: [] },
  ];
  assert.equal(verdictOf(moments, targetOf(waiting)), 'undecided');
  assert.equal(verdictOf([...moments, { seconds: 111, objects: [] }], targetOf(waiting)), 'timed-out');
});

const { web: stable, set: stableSet } = done(1);

function changed(overrides: Readonly<Record<string, unknown>>): KubernetesObject {
  const spec = stable['spec'] as Readonly<Record<string, unknown>>;
  return { ...stable, metadata: { ...stable.metadata, generation: 2 }, spec: { ...spec, ...overrides } };
}

test('what somebody else does to the workload is neutral, but for its scale', () => {
  const told = (live: KubernetesObject) => verdictOf([{ seconds: 1, objects: [live, stableSet] }]);
  assert.equal(told(changed({ template: { spec: { containers: [] } } })), 'superseded Superseded');
  assert.equal(told(changed({ paused: true })), 'superseded Paused');
  assert.equal(told(changed({ replicas: 5 })), 'undecided');
  assert.equal(told({ ...stable, metadata: { ...stable.metadata, uid: 'another' } }), 'superseded Superseded');
  assert.equal(
    verdictOf([
      { seconds: 1, objects: [stable, stableSet] },
      { seconds: 2, objects: [], deleted: [stable] },
    ]),
    'superseded Superseded',
  );
});

test('a restart in the soak starts it again; one restart and then quiet is a success', () => {
  const once = pod('web-1-a', { status: running(true, 2) });
  const again = pod('web-1-a', { status: running(true, 8, 1) });
  const moments: readonly Moment[] = [
    { seconds: 1, objects: [stable, stableSet, once] },
    { seconds: 8, objects: [again] },
    { seconds: 12, objects: [] },
  ];
  assert.equal(verdictOf(moments), 'undecided');
  assert.equal(verdictOf([...moments, { seconds: 19, objects: [] }]), 'succeeded');
});

test('several workloads: each has its verdict, and what is open when one stalls has a short grace', () => {
  const other: KubernetesObject = {
    ...deployment(),
    metadata: { name: 'worker', namespace: 'shop', uid: 'deployment-2', generation: 1 },
  };
  const bad = pod('web-1-a', {
    status: {
      phase: 'Pending',
      containerStatuses: [
        { name: 'app', ready: false, restartCount: 0, state: { waiting: { reason: 'InvalidImageName' } } },
      ],
    },
  });
  const web = deployment();
  const moments: readonly Moment[] = [
    { seconds: 1, objects: [web, replicaSet(web), bad, other] },
    { seconds: 10, objects: [] },
    { seconds: 17, objects: [] },
  ];
  const story = (count: number) =>
    tell({ targets: [targetOf(web), targetOf(other)], moments: moments.slice(0, count) }).standings.map(
      (each) => each.decision?.verdict ?? 'open',
    );
  assert.deepEqual(story(2), ['stalled', 'open']);
  assert.deepEqual(story(3), ['stalled', 'undecided']);
});

test('the timeout ends the run whatever moves', () => {
  const web = deployment();
  const judgement = tell({
    targets: [targetOf(web)],
    moments: [{ seconds: 30, objects: [web, replicaSet(web)] }],
    terms: { timeoutMs: 20_000 },
  });
  assert.equal(judgement.timeoutAt, NOON + 20_000);
  assert.equal(judgement.standings[0]?.decision?.verdict, 'timed-out');
});
