import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseRecording } from '../../src/cluster/recording.ts';
import { type BundleRun, runBundle } from '../replay/run-bundle.ts';
import { type Fault, type LocalGitHub, type Request, startGitHub } from './server.ts';

const WORKSPACE = path.resolve(import.meta.dirname, '../replay/demo');
const TOKEN = 'ghs_aTokenOfTheJobThatNobodyMaySee0000';
const HEAD = '0123456789abcdef0123456789abcdef01234567';
const TOLD = {
  'github-token': TOKEN,
  'check-run': 'rollout',
  'commit-status': 'rollout',
  comment: 'on-failure',
  environment: 'production',
  matrix: 'null',
  'job-id': '77',
};

/** The worked case, played to the real bundle as a runner starts it for a pull request. */
async function play(
  t: TestContext,
  inputs: Readonly<Record<string, string>>,
  fault?: (request: Request) => Fault | null,
): Promise<{ readonly run: BundleRun; readonly hub: LocalGitHub }> {
  const hub = await startGitHub(fault);
  const folder = mkdtempSync(path.join(tmpdir(), 'github-'));
  const event = `${folder}.json`;
  writeFileSync(
    event,
    JSON.stringify({ pull_request: { number: 7, head: { sha: HEAD, repo: { full_name: 'acme/shop' } } } }),
  );
  t.after(async () => {
    rmSync(folder, { recursive: true });
    rmSync(event);
    await hub.close();
  });
  const run = await runBundle({
    recording: parseRecording(readFileSync(path.join(WORKSPACE, 'recording.ndjson'), 'utf8')),
    workspace: WORKSPACE,
    inputs: { manifests: 'web.yaml', 'stable-for': '5s', ...inputs },
    folder,
    speed: 20,
    variables: {
      GITHUB_API_URL: hub.url,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_RUN_ID: '42',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'deploy',
      GITHUB_SHA: 'f'.repeat(40),
      GITHUB_EVENT_PATH: event,
    },
  });
  return { run, hub };
}

test('a stall is told on the commit, on its line, and on the pull request, in words of its own', async (t) => {
  const { run, hub } = await play(t, TOLD);
  assert.deepEqual([run.code, hub.wrong], [1, []], run.log);
  assert.doesNotMatch(run.log, /GitHub could not be told/);
  const [check] = hub.kept.checkRuns.values();
  assert.deepEqual([check?.['head_sha'], check?.['conclusion']], [HEAD, 'failure']);
  const output = check?.['output'] as Readonly<Record<string, string>>;
  assert.equal(output['title'], 'Stalled: CapacityInsufficient, 4/6 ready');
  assert.match(output['summary'] ?? '', /CapacityInsufficient/);
  assert.deepEqual(
    check?.annotations.map((each) => (each as { readonly path: string }).path),
    ['web.yaml', 'web.yaml'],
  );
  const status = hub.kept.statuses.at(-1);
  assert.match(String(status?.['description']), /^CapacityInsufficient: Deployment\/web .*4 of 6/);
  assert.equal(status?.['target_url'], 'https://github.com/acme/shop/actions/runs/42/job/77');
  assert.match(hub.kept.comments.get(1)?.body ?? '', /CapacityInsufficient/);
  const [deployment] = hub.kept.deployments.values();
  assert.deepEqual(
    deployment?.statuses.map((each) => each['state']),
    ['in_progress', 'failure'],
  );
  assert.ok(!run.log.replace(`::add-mask::${TOKEN}`, '').includes(TOKEN), 'the token stands in the log');
});

test('nothing is asked of GitHub unless an input wants it', async (t) => {
  const { run, hub } = await play(t, { 'github-token': TOKEN, matrix: 'null', 'job-id': '' });
  assert.deepEqual([run.code, hub.asked], [1, []]);
});

test('without rights the verdict, the exit code and the summary are the same, and four warnings name the permissions', async (t) => {
  const { run, hub } = await play(t, TOLD, () => ({ status: 403, message: 'Resource not accessible by integration' }));
  assert.deepEqual([run.code, run.report.verdict, run.report.cause], [1, 'stalled', 'CapacityInsufficient']);
  assert.equal(hub.kept.checkRuns.size, 0);
  const warnings = [...run.log.matchAll(/^::warning title=Rollout Gate::(.*)$/gm)].map((match) => match[1] ?? '');
  assert.equal(warnings.length, 4, run.log);
  for (const permission of ['checks', 'statuses', 'pull-requests', 'deployments'])
    assert.ok(
      warnings.some((each) => each.includes(`"${permission}: write"`)),
      permission,
    );
});

test('inputs that are refused are told on the commit as well', async (t) => {
  const { run, hub } = await play(t, { ...TOLD, timeout: '600' });
  assert.equal(run.report.verdict, 'rejected');
  assert.equal([...hub.kept.checkRuns.values()][0]?.['conclusion'], 'failure');
  assert.match(String(hub.kept.statuses.at(-1)?.['description']), /timeout: "600" is not accepted/);
});

test('a token that is missing is one warning', async (t) => {
  const { run, hub } = await play(t, { ...TOLD, 'github-token': '' });
  assert.deepEqual([run.code, hub.asked], [1, []]);
  assert.match(
    run.log,
    /::warning title=Rollout Gate::GitHub is not told of this run: the input github-token is empty/,
  );
});
