import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { connect } from '../../src/cluster/connect.ts';
import { openFeed } from '../../src/cluster/feed.ts';
import { FEED_TIMES } from '../../src/cluster/follow-collection.ts';
import { lookUp } from '../../src/cluster/lookup.ts';
import type { Recording, RecordingLine } from '../../src/cluster/recording.ts';
import type { Faults } from './faults.ts';
import { startReplay } from './server.ts';

const START = '2026-01-02T03:04:05.000Z';
const PODS = { resource: { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }, namespace: 'shop' };
const PATH = '/apis/apps/v1/namespaces/shop/deployments/web';
const APPLY = {
  method: 'PATCH',
  path: PATH,
  contentType: 'application/apply-patch+yaml',
  body: {},
  query: { fieldManager: 'me' },
} as const;

function pod(name: string, version: number, phase: string, createdAt = '2026-01-02T03:04:15Z') {
  const metadata = {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    resourceVersion: String(version),
    creationTimestamp: createdAt,
    labels: { app: 'web' },
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase } };
}

function change(at: number, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ReturnType<typeof pod>): RecordingLine {
  return { at, change: { type, object } };
}

function deployment(generation: number): object {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop', generation } };
}

/** A pod of before, an apply at 10 s that replaces it, and a second apply at 60 s. */
const RECORDING: Recording = {
  header: { rolloutGate: 'recording', version: 1, tool: 'test', server: 'v1.36.3', startedAt: START, options: {} },
  lines: [
    { at: 5, request: { method: 'GET', path: PATH, query: {} }, took: 2, status: 200, body: deployment(1) },
    {
      at: 10_000,
      request: { method: 'PATCH', path: PATH, query: { fieldManager: 'me', dryRun: 'All' } },
      took: 5,
      status: 200,
      body: deployment(1),
    },
    {
      at: 10_050,
      request: { method: 'PATCH', path: PATH, query: { fieldManager: 'me' } },
      took: 50,
      status: 200,
      body: deployment(2),
    },
    change(10_060, 'ADDED', pod('old', 3, 'Running', '2025-12-31T00:00:00Z')),
    { at: 10_061, listed: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', labelSelector: '', fieldSelector: '' } },
    {
      at: 10_062,
      listed: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'shop', labelSelector: '', fieldSelector: '' },
    },
    { at: 10_063, forbidden: 'list events in shop' },
    change(10_100, 'ADDED', pod('new', 5, 'Pending')),
    change(12_000, 'MODIFIED', pod('new', 6, 'Running')),
    { at: 12_100, lookup: { kind: 'nodes' }, known: { state: 'known', value: [{ metadata: { name: 'n' } }], at: 0 } },
    {
      at: 12_200,
      lookup: { kind: 'log', namespace: 'shop', pod: 'new', container: 'app', previous: false, restart: 0 },
      known: { state: 'known', value: ['one', 'two'], at: 0 },
    },
    {
      at: 12_300,
      lookup: { kind: 'quotas', namespace: 'shop' },
      known: { state: 'forbidden', right: 'list resourcequotas in shop', at: 0 },
    },
    change(14_000, 'DELETED', pod('old', 8, 'Running', '2025-12-31T00:00:00Z')),
    // The watch showed it before the answer was there.
    change(60_010, 'ADDED', pod('next', 9, 'Pending')),
    {
      at: 60_020,
      request: { method: 'PATCH', path: PATH, query: { fieldManager: 'me' } },
      took: 20,
      status: 200,
      body: deployment(3),
    },
    change(60_500, 'MODIFIED', pod('next', 10, 'Running')),
  ],
};

async function play(t: TestContext, speed: number, faults?: Faults) {
  const replay = await startReplay(RECORDING, { speed, pageSize: 1, ...(faults === undefined ? {} : { faults }) });
  t.after(() => replay.close());
  const policy = { budgetMs: 10_000, firstDelayMs: 1, longestDelayMs: 5 };
  const connection = await connect(
    { kubeconfig: replay.kubeconfig, context: '', policy, connectPolicy: policy },
    {},
    { onSecret: () => undefined },
  );
  t.after(() => connection.close());
  const changes: string[] = [];
  const forbidden: string[] = [];
  let wake: () => void = () => undefined;
  const hooks = {
    onChange: ({
      type,
      object,
    }: {
      readonly type: string;
      readonly object: { readonly metadata: { readonly name?: string; readonly resourceVersion?: string } };
    }) => {
      changes.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);
      wake();
    },
    onForbidden: (right: string) => forbidden.push(right),
    onNotice: () => undefined,
  };
  const feed = openFeed(connection.transport, hooks, { ...FEED_TIMES, firstDelayMs: 1, longestDelayMs: 5 });
  t.after(() => feed.close());
  /** Waits for a state, however it came about: a fast replay lists what a slow one watches. */
  const until = async (state: string) => {
    while (stateAfter(changes) !== state) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { replay, connection, feed, changes, forbidden, until };
}

describe('a replay', () => {
  it('answers reads and changes as they were answered, and lets nothing happen before its cause', async (t) => {
    const { connection, feed, changes, until } = await play(t, 1_000);
    assert.equal(connection.version, 'v1.36.3');
    const before = await connection.request({ method: 'GET', path: PATH });
    assert.deepEqual(before.ok && before.body, deployment(1));
    await connection.request({ ...APPLY, query: { ...APPLY.query, dryRun: 'All' } });
    const applied = await connection.request(APPLY);
    assert.deepEqual(applied.ok && applied.body, deployment(2));
    assert.ok(Math.abs(connection.now() - Date.parse(START) - 10_050) < 5_000);
    await feed.subscribe([PODS]);
    await until('new@6');
    // At this speed the second apply was due long ago, but it has not been made.
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.ok(!changes.some((one) => one.includes('next')));
    const second = await connection.request(APPLY);
    assert.deepEqual(second.ok && second.body, deployment(3));
    await until('new@6 next@10');
  });

  it('answers lookups from the recording, and refuses what nobody looked at', async (t) => {
    const { connection, feed, forbidden, changes } = await play(t, 1);
    const nodes = await lookUp(connection, { kind: 'nodes' }, 10);
    assert.deepEqual(nodes.state === 'known' && nodes.value.map((node) => node.metadata?.name), ['n']);
    const log = await lookUp(
      connection,
      { kind: 'log', namespace: 'shop', pod: 'new', container: 'app', previous: true, restart: 1 },
      10,
    );
    assert.deepEqual(log.state === 'known' && log.value, ['one', 'two']);
    assert.equal((await lookUp(connection, { kind: 'quotas', namespace: 'shop' }, 10)).state, 'forbidden');
    assert.equal((await lookUp(connection, { kind: 'limit-ranges', namespace: 'shop' }, 10)).state, 'forbidden');
    const unknown = await connection.request({ method: 'GET', path: '/api/v1/namespaces/other/pods' });
    assert.match(unknown.ok ? '' : (unknown.failure.message ?? ''), /is not in the recording/);
    const events = { ...PODS, resource: { ...PODS.resource, kind: 'Event', plural: 'events' } };
    const replicaSets = {
      ...PODS,
      resource: { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true },
    };
    await feed.subscribe([events, replicaSets]);
    assert.deepEqual(forbidden, ['list events in shop']);
    assert.deepEqual(changes, []);
  });

  for (const seed of [1, 2, 3]) {
    it(`ends in the same state under faults (seed ${seed})`, async (t) => {
      const faults = {
        seed,
        drop: 0.15,
        expire: 0.15,
        throttle: 0.1,
        unavailable: 0.1,
        slow: 0.2,
        slowMs: 2,
        duplicate: 0.3,
        tear: 0.1,
      };
      const { replay, connection, feed, until } = await play(t, 1_000, { ...faults, throttleSeconds: 0 });
      assert.equal((await connection.request(APPLY)).status, 200);
      await feed.subscribe([PODS]);
      assert.equal((await connection.request(APPLY)).status, 200);
      await until('new@6 next@10');
      assert.ok(replay.struck.size > 0);
    });
  }
});

/** The objects that are there after these changes; each must fit to what was there before it. */
function stateAfter(changes: readonly string[]): string {
  const present = new Map<string, string>();
  for (const [, type = '', name = '', version = ''] of changes.map((one) => /^(\w+) (\w+)@(\d+)$/.exec(one) ?? [])) {
    assert.equal(present.has(name), type !== 'ADDED', `${type} ${name} in ${changes.join(', ')}`);
    if (type === 'DELETED') present.delete(name);
    else present.set(name, version);
  }
  return [...present]
    .map((each) => each.join('@'))
    .sort()
    .join(' ');
}
