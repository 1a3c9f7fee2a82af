import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readContext } from '../../src/github/context.ts';
import { claimNames, withMatrix } from '../../src/github/names.ts';
import { NOTHING_WANTED } from '../../src/github/wanted.ts';

const ENV = {
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_RUN_ID: '42',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_SHA: 'sha-of-the-runner',
  GITHUB_JOB: 'deploy',
  GITHUB_ACTION: 'gate',
};
const OWN = { sha: 'sha-of-the-head', repo: { full_name: 'acme/shop' } };

test('each event has its commit and its pull request', () => {
  const cases: readonly (readonly [string, unknown, string | null, number | null, boolean])[] = [
    ['push', { after: 'x' }, 'sha-of-the-runner', null, false],
    ['schedule', { schedule: '0 4 * * *' }, 'sha-of-the-runner', null, false],
    ['workflow_dispatch', { inputs: {} }, 'sha-of-the-runner', null, false],
    ['release', { release: { tag_name: 'v1' } }, 'sha-of-the-runner', null, false],
    ['pull_request', { pull_request: { number: 7, head: OWN } }, 'sha-of-the-head', 7, false],
    ['of a fork', { pull_request: { number: 7, head: { ...OWN, repo: { full_name: 'eve/shop' } } } }, OWN.sha, 7, true],
    ['of a deleted fork', { pull_request: { number: 7, head: { ...OWN, repo: null } } }, OWN.sha, 7, true],
    ['pull_request_review', { review: {}, pull_request: { number: 7, head: OWN } }, OWN.sha, 7, false],
    ['workflow_run', { workflow_run: { head_sha: 'built', pull_requests: [{ number: 9 }] } }, 'built', 9, false],
    ['workflow_run of a fork', { workflow_run: { head_sha: 'built', pull_requests: [] } }, 'built', null, false],
    ['merge_group', { merge_group: { head_sha: 'queued' } }, 'queued', null, false],
    ['deployment', { deployment: { sha: 'deployed' } }, 'deployed', null, false],
    ['issue_comment on a pull request', { issue: { number: 3, pull_request: { url: 'x' } } }, null, 3, false],
    ['issue_comment on an issue', { issue: { number: 3 } }, 'sha-of-the-runner', null, false],
    ['nothing', {}, 'sha-of-the-runner', null, false],
    ['nonsense', 'nonsense', 'sha-of-the-runner', null, false],
  ];
  for (const [name, event, sha, pull, isFork] of cases) {
    const context = readContext(ENV, event, '');
    assert.deepEqual([context?.sha, context?.pull, context?.isFork], [sha, pull, isFork], name);
  }
});

test('the link leads to the job where it is known, else to the attempt', () => {
  const run = 'https://github.example/acme/shop/actions/runs/42';
  assert.equal(readContext(ENV, {}, '')?.link, `${run}/attempts/2`);
  assert.equal(readContext(ENV, {}, '77')?.link, `${run}/job/77`);
  assert.equal(readContext({}, {}, ''), null);
});

test('no event makes it throw', () => {
  fc.assert(fc.property(fc.json(), (text) => void readContext(ENV, JSON.parse(text), '')));
});

test('the values of a matrix are added as GitHub adds them to a job, unless the name has them', () => {
  assert.equal(withMatrix('rollout', []), 'rollout');
  assert.equal(withMatrix('rollout', ['eu', 'production']), 'rollout (eu, production)');
  assert.equal(withMatrix('rollout eu/production', ['eu', 'production']), 'rollout eu/production');
});

test('two gates in one job, or in two jobs of a matrix, have names of their own', async (t) => {
  const folders = [1, 2].map(() => mkdtempSync(path.join(tmpdir(), 'names-')));
  t.after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  const [eu = '', us = ''] = folders;
  const wanted = { ...NOTHING_WANTED, checkRun: 'rollout', commitStatus: 'rollout', comment: 'always' as const };
  const all = [
    await claimNames({ ...wanted, matrix: ['eu'] }, ENV, eu),
    await claimNames({ ...wanted, matrix: ['eu'] }, ENV, eu),
    await claimNames({ ...wanted, matrix: ['us'] }, ENV, us),
  ];
  assert.deepEqual(
    all.map(({ commitStatus }) => commitStatus),
    ['rollout (eu)', 'rollout (eu) 2', 'rollout (us)'],
  );
  for (const kind of ['checkRun', 'commitStatus', 'comment'] as const)
    assert.equal(new Set(all.map((names) => names[kind])).size, 3, kind);
});
