import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getOctokit } from '@actions/github';
import fc from 'fast-check';
import { type Announcer, channelsOf, startAnnouncer, type Times } from '../../src/github/announcer.ts';
import type { RunContext } from '../../src/github/context.ts';
import { claimNames } from '../../src/github/names.ts';
import type { Outcome } from '../../src/github/outcome.ts';
import { NOTHING_WANTED, type Wanted } from '../../src/github/wanted.ts';
import { type Fault, type LocalGitHub, type Request, startGitHub } from './server.ts';

const SHA = '0123456789abcdef0123456789abcdef01234567';
const CONTEXT: RunContext = {
  owner: 'acme',
  repo: 'shop',
  sha: SHA,
  pull: 7,
  isFork: false,
  link: 'https://github.com/acme/shop/actions/runs/1/attempts/1',
  id: '1/1/deploy/gate',
};
const EVERYTHING: Wanted = {
  ...NOTHING_WANTED,
  token: 'a-token',
  checkRun: 'rollout',
  commitStatus: 'rollout',
  comment: 'on-failure',
  environment: 'production',
};
const FAILED: Outcome = {
  conclusion: 'failure',
  title: 'Stalled: CrashLoop, 4/6 ready',
  description: 'CrashLoop: Deployment/web has 4 of 6 ready',
  summary: '## Stalled',
  annotations: [{ level: 'failure', title: 'CrashLoop', message: 'exits with 1', file: 'web.yaml', line: 4 }],
};
const GREEN: Outcome = { ...FAILED, conclusion: 'success', summary: '## Rolled out', annotations: [] };
const QUICK: Times = { budgetMs: 4_000, firstDelayMs: 10, endMs: 6_000, cancelledMs: 300, updateMs: 0 };

interface Told {
  readonly announcer: Announcer;
  readonly warnings: readonly string[];
  readonly memory: ReadonlyMap<string, string>;
}

interface Choices {
  readonly wanted?: Partial<Wanted>;
  readonly context?: Partial<RunContext>;
  readonly times?: Partial<Times>;
  readonly left?: ReadonlyMap<string, string>;
}

async function tell(t: Pick<TestContext, 'after'>, hub: LocalGitHub, choices: Choices = {}): Promise<Told> {
  const wanted = { ...EVERYTHING, ...choices.wanted };
  const folder = mkdtempSync(path.join(tmpdir(), 'names-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const names = await claimNames(wanted, {}, folder);
  const warnings: string[] = [];
  const memory = new Map<string, string>();
  const left = choices.left;
  const channels = channelsOf(wanted, names, left === undefined ? null : (name) => left.get(name) ?? '');
  const announcer = startAnnouncer(
    channels,
    {
      github: getOctokit('a-token', { baseUrl: hub.url }),
      context: { ...CONTEXT, ...choices.context },
      warn: (text) => warnings.push(text),
      remember: (name, value) => memory.set(name, value),
      times: { ...QUICK, ...choices.times },
    },
    left !== undefined,
  );
  return { announcer, warnings, memory };
}

async function hubFor(t: TestContext, fault?: (request: Request) => Fault | null): Promise<LocalGitHub> {
  const hub = await startGitHub(fault, { pulls: { 7: { head: SHA, merge: 'f'.repeat(40) } } });
  t.after(hub.close);
  return hub;
}

test('a failed run is told in all four places, and every request is one that GitHub understands', async (t) => {
  const hub = await hubFor(t);
  const { announcer, warnings } = await tell(t, hub);
  await announcer.conclude(FAILED);
  assert.deepEqual([warnings, hub.wrong], [[], []]);
  const [run] = hub.kept.checkRuns.values();
  assert.deepEqual(
    [run?.['name'], run?.['head_sha'], run?.['status'], run?.['conclusion'], run?.['details_url']],
    ['rollout', SHA, 'completed', 'failure', CONTEXT.link],
  );
  assert.deepEqual(run?.annotations, [
    {
      path: 'web.yaml',
      start_line: 4,
      end_line: 4,
      annotation_level: 'failure',
      title: 'CrashLoop',
      message: 'exits with 1',
    },
  ]);
  assert.deepEqual(
    hub.kept.statuses.map((each) => each['state']),
    ['pending', 'failure'],
  );
  assert.equal(hub.kept.statuses[1]?.['description'], FAILED.description);
  assert.match([...hub.kept.comments.values()][0]?.body ?? '', /## Stalled[\s\S]*actions\/runs\/1/);
  const [deployment] = hub.kept.deployments.values();
  assert.equal(deployment?.['environment'], 'production');
  assert.deepEqual(
    deployment?.statuses.map((each) => [each['state'], each['log_url']]),
    [
      ['in_progress', CONTEXT.link],
      ['failure', CONTEXT.link],
    ],
  );
});

test('every verdict has its conclusion, state and status', async (t) => {
  const expected = {
    success: ['success', 'success', 'success'],
    failure: ['failure', 'failure', 'failure'],
    timed_out: ['timed_out', 'failure', 'failure'],
    neutral: ['neutral', 'success', 'inactive'],
    cancelled: ['cancelled', 'error', 'error'],
  } as const;
  for (const [conclusion, [ofCheck, ofStatus, ofDeployment]] of Object.entries(expected)) {
    const hub = await hubFor(t);
    const { announcer } = await tell(t, hub, { times: { cancelledMs: 5_000 } });
    await announcer.conclude({ ...GREEN, conclusion: conclusion as Outcome['conclusion'] });
    assert.equal([...hub.kept.checkRuns.values()][0]?.['conclusion'], ofCheck);
    assert.equal(hub.kept.statuses.at(-1)?.['state'], ofStatus);
    assert.equal([...hub.kept.deployments.values()][0]?.statuses.at(-1)?.['state'], ofDeployment);
  }
});

test('one comment is changed in place: a green deploy writes none, but turns an earlier failure green', async (t) => {
  const hub = await hubFor(t);
  const run = async (outcome: Outcome, wanted: Partial<Wanted> = {}) =>
    (await tell(t, hub, { wanted })).announcer.conclude(outcome);
  await run(GREEN);
  assert.equal(hub.kept.comments.size, 0);
  await run(FAILED);
  await run(FAILED);
  await run(GREEN);
  await run(FAILED, { environment: 'staging' });
  await run(GREEN, { comment: 'always' });
  assert.deepEqual(
    [...hub.kept.comments.values()].map(({ body }) => body.split('\n')[1]),
    ['## Rolled out', '## Stalled'],
  );
});

test("a comment that only looks like ours, by somebody who may not write here, is left alone, and ours is found behind a hundred others'", async (t) => {
  const hub = await hubFor(t);
  const { announcer } = await tell(t, hub);
  await announcer.conclude(FAILED);
  const ours = hub.kept.comments.get(1);
  hub.kept.comments.clear();
  const fake = { body: `${ours?.body.split('\n')[0]}\nmine`, login: 'mallory', association: 'NONE', issue: 7 };
  hub.kept.comments.set(1, fake);
  for (let id = 2; id <= 130; id += 1)
    hub.kept.comments.set(id, { body: 'hello', login: 'alice', association: 'MEMBER', issue: 7 });
  hub.kept.comments.set(131, { ...(ours ?? fake) });
  await (await tell(t, hub)).announcer.conclude(GREEN);
  assert.equal(fake.body.split('\n')[1], 'mine');
  assert.match(hub.kept.comments.get(131)?.body ?? '', /Rolled out/);
  assert.equal(hub.kept.comments.size, 131);
});

test('after a merge the comment goes to the pull request that brought the commit; without one there is none', async (t) => {
  const hub = await hubFor(t);
  await (await tell(t, hub, { context: { pull: null, sha: 'f'.repeat(40) } })).announcer.conclude(FAILED);
  await (await tell(t, hub, { context: { pull: null, sha: 'e'.repeat(40) } })).announcer.conclude(FAILED);
  assert.deepEqual(
    [...hub.kept.comments.values()].map(({ issue }) => issue),
    [7],
  );
});

test('where the event names only the pull request, its head is asked for', async (t) => {
  const hub = await hubFor(t);
  const { announcer, warnings } = await tell(t, hub, { context: { sha: null } });
  await announcer.conclude(FAILED);
  assert.deepEqual(warnings, []);
  assert.equal([...hub.kept.checkRuns.values()][0]?.['head_sha'], SHA);
});

test('progress shows on the check run, and not more often than it may', async (t) => {
  const hub = await hubFor(t);
  const { announcer } = await tell(t, hub, { times: { updateMs: 200 } });
  const titles: string[] = [];
  for (let round = 0; round < 30; round += 1) {
    announcer.progress(() => {
      titles.push(`${round}`);
      return { title: `${round}/30`, summary: 'on the way' };
    });
    await sleep(20);
  }
  await announcer.conclude(GREEN);
  const updates = hub.asked.filter((each) => each.startsWith('PATCH') && each.includes('check-runs')).length - 1;
  assert.ok(updates >= 1 && updates <= 4, `${updates} updates in 600 ms`);
  assert.equal(titles.length, updates);
});

test('annotations go in batches of fifty, the verdict with the first', async (t) => {
  const hub = await hubFor(t);
  const { announcer } = await tell(t, hub);
  const one = FAILED.annotations[0];
  assert.ok(one);
  const annotations = Array.from({ length: 120 }, (_, index) => ({ ...one, line: index + 1 }));
  await announcer.conclude({ ...FAILED, annotations });
  const [run] = hub.kept.checkRuns.values();
  assert.equal(run?.annotations.length, 120);
  assert.equal(run?.['conclusion'], 'failure');
  assert.deepEqual(hub.wrong, []);
});

test('what is forbidden is one warning for each place, which names the permission, and nothing more is asked', async (t) => {
  const hub = await hubFor(t, () => ({ status: 403, message: 'Resource not accessible by integration' }));
  const { announcer, warnings } = await tell(t, hub);
  announcer.progress(() => ({ title: 'x', summary: 'x' }));
  await announcer.conclude(FAILED);
  assert.deepEqual(
    warnings
      .map((each) => /^([\w-]+): .*403 Resource not accessible.*permission "([\w-]+: write)"/.exec(each)?.slice(1))
      .sort(),
    [
      ['check-run', 'checks: write'],
      ['comment', 'pull-requests: write'],
      ['commit-status', 'statuses: write'],
      ['environment', 'deployments: write'],
    ],
  );
  assert.equal(hub.asked.length, 4);
});

test('the token of a fork explains itself', async (t) => {
  const hub = await hubFor(t, () => ({ status: 403, message: 'Resource not accessible by integration' }));
  const { announcer, warnings } = await tell(t, hub, { context: { isFork: true } });
  await announcer.conclude(FAILED);
  for (const each of warnings) assert.match(each, /from a fork has a token that may only read/);
});

const PASSING: readonly Fault[] = [
  { status: 502 },
  { status: 502, isDone: true },
  { status: 0 },
  { status: 0, isDone: true },
  { status: 429, headers: { 'retry-after': '0' } },
  { status: 403, headers: { 'retry-after': '0' }, message: 'You have exceeded a secondary rate limit' },
  {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
    message: 'API rate limit exceeded',
  },
];

test('whatever passes is tried again, and nothing is there twice', async (t) => {
  const faults = fc.array(fc.constantFrom(null, null, ...PASSING), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(faults, async (sequence) => {
      const cleanUps: (() => void)[] = [];
      let count = 0;
      const hub = await startGitHub(({ nth }) => (nth > 1 ? null : (sequence[count++ % sequence.length] ?? null)), {
        pulls: { 7: { head: SHA, merge: SHA } },
      });
      const { announcer, warnings } = await tell({ after: (each) => cleanUps.push(each as () => void) }, hub, {
        times: { budgetMs: 15_000, endMs: 20_000 },
      });
      await announcer.conclude(FAILED);
      await hub.close();
      for (const cleanUp of cleanUps) cleanUp();
      assert.deepEqual([warnings, hub.wrong], [[], []]);
      assert.deepEqual([hub.kept.checkRuns.size, hub.kept.comments.size, hub.kept.deployments.size], [1, 1, 1]);
      assert.equal([...hub.kept.checkRuns.values()][0]?.['conclusion'], 'failure');
      assert.equal(hub.kept.statuses.at(-1)?.['state'], 'failure');
    }),
    { numRuns: 40 },
  );
  t.diagnostic('forty sequences of faults');
});

test('a pause that GitHub asks for is kept, and one that is longer than there is time for is not begun', async (t) => {
  const limited = (seconds: string) => (request: Request) =>
    request.name.includes('statuses/{sha}') && request.nth === 1
      ? { status: 429, headers: { 'retry-after': seconds } }
      : null;
  const hub = await hubFor(t, limited('1'));
  const began = performance.now();
  await (await tell(t, hub)).announcer.conclude(FAILED);
  assert.ok(performance.now() - began >= 1_000);
  assert.equal(hub.kept.statuses.at(-1)?.['state'], 'failure');
  const other = await hubFor(t, limited('3600'));
  const { announcer, warnings } = await tell(t, other);
  await announcer.conclude(FAILED);
  assert.match(warnings.join('\n'), /^commit-status: .*429/);
  assert.equal(other.kept.statuses.at(-1)?.['state'], 'pending');
});

test('GitHub being down holds the end up for no longer than it may, and is told once for each place', {
  timeout: 30_000,
}, async (t) => {
  const hub = await hubFor(t, () => ({ status: 200, delayMs: 60_000 }));
  const { announcer, warnings } = await tell(t, hub, { times: { endMs: 300 } });
  await announcer.conclude(FAILED);
  assert.equal(warnings.length, 4);
  for (const each of warnings) assert.match(each, /no answer in time.*job summary says it all.*judged all the same/);
});

test('a request that GitHub finds wrong is told with its words', async (t) => {
  const hub = await hubFor(t, ({ name }) =>
    name.includes('statuses/{sha}') ? { status: 422, message: 'No commit found for SHA: 0123' } : null,
  );
  const { announcer, warnings } = await tell(t, hub);
  await announcer.conclude(FAILED);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /commit-status: .*422 No commit found for SHA/);
});

test('what a step that was cut off began is completed after the job, not begun again', async (t) => {
  const hub = await hubFor(t);
  const { announcer, memory } = await tell(t, hub);
  for (let round = 0; round < 200 && memory.size < 2; round += 1) await sleep(10);
  announcer.progress(() => ({ title: 'on the way', summary: '' }));
  const cancelled: Outcome = { ...GREEN, conclusion: 'cancelled' };
  const after = await tell(t, hub, { left: memory, times: { cancelledMs: 5_000 } });
  await after.announcer.conclude(cancelled);
  assert.deepEqual([hub.kept.checkRuns.size, hub.kept.deployments.size], [1, 1]);
  assert.equal([...hub.kept.checkRuns.values()][0]?.['conclusion'], 'cancelled');
  assert.deepEqual(after.warnings, []);
  // And if it was cut off before it could remember anything:
  const forgot = await tell(t, hub, { left: new Map(), times: { cancelledMs: 5_000 } });
  await forgot.announcer.conclude(cancelled);
  assert.deepEqual([hub.kept.checkRuns.size, hub.kept.deployments.size], [1, 1]);
});
