import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as core from '@actions/core';
import { announce } from './announce.ts';
import { gate } from './gate.ts';
import { readInputs } from './inputs.ts';
import { readWanted } from './inputs-github.ts';
import { post } from './post.ts';
import { GateError } from './problem.ts';
import { keepEvidence, publish } from './publish.ts';
import { rejectedReport } from './report/compose.ts';
import { inProgress, outcomeOf } from './report/outcome.ts';
import type { Report } from './report/report.ts';
import { logLine } from './text/escape.ts';
import { redactObject, redactText } from './text/redact.ts';
import { createSecrets } from './text/secrets.ts';
import { VERSION } from './version.ts';

const FAILING: ReadonlySet<Report['verdict']> = new Set(['stalled', 'timed-out', 'rejected']);

/** What the runner starts: inputs in, report out, exit code by verdict; and once more after the job, for what was cut off. */
async function main(): Promise<void> {
  const { env } = process;
  const secrets = createSecrets(core.setSecret);
  const startedAt = Date.now();
  const left = core.getState('folder');
  if (left !== '') {
    if (core.getState('finished') === '')
      await post({ folder: left, run: runOf(env), facts: nothingDone(startedAt) }, secrets);
    return;
  }
  const folder = path.join(env['RUNNER_TEMP'] ?? tmpdir(), `rollout-gate-${randomUUID().slice(0, 8)}`);
  core.saveState('folder', folder);
  const recording = path.join(folder, 'recording.ndjson');
  const cancelled = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => cancelled.abort(new Error(signal)));

  const announcer = await announce(readWanted(input).wanted, env, secrets, false);
  let report: Report;
  try {
    const options = readInputs(input);
    report = await gate(options, {
      env,
      workspace: env['GITHUB_WORKSPACE'] ?? process.cwd(),
      recording,
      run: runOf(env),
      secrets,
      cancelled: cancelled.signal,
      onProgress: (lines) => announcer.progress(() => inProgress(redactObject(lines, secrets.values()))),
      keep: async (found) => void (await keepEvidence(found, folder, secrets)),
    });
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    report = rejectedReport(nothingDone(startedAt), error.problems);
  }
  const places = { folder, recording, summaryFile: env['GITHUB_STEP_SUMMARY'] ?? '' };
  await announcer.conclude(outcomeOf(await publish(report, places, secrets)));
  core.info(
    logLine(
      redactText(
        `${report.verdict}${report.cause === '' ? '' : ` (${report.cause})`}: ${report.reason}${endingOf(report)}`,
        secrets.values(),
      ),
    ),
  );
  core.saveState('finished', 'true');
  process.exitCode = FAILING.has(report.verdict) ? 1 : 0;
}

function input(name: string): string {
  return core.getInput(name, { trimWhitespace: false });
}

/** Whoever reads but this line must know whether the old version runs again. */
function endingOf({ rollback }: Report): string {
  return rollback === null || rollback.outcome === 'none' ? '' : ` | rollback: ${rollback.outcome}`;
}

/** Source: GitHub Docs, default environment variables. */
function runOf(env: NodeJS.ProcessEnv): string {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT = '1' } = env;
  if (GITHUB_RUN_ID === undefined) return 'a run outside of GitHub';
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/attempts/${GITHUB_RUN_ATTEMPT}`;
}

function nothingDone(startedAt: number) {
  return {
    tool: `rollout-gate ${VERSION}`,
    mode: 'deploy' as const,
    server: '',
    startedAt,
    endedAt: Date.now(),
    options: {},
    stages: [],
    imageChanges: [],
    applied: [],
    warnings: [],
    effects: new Map(),
    notices: [],
    timeline: [],
    requests: { count: 0, retries: 0, bytesReceived: 0, p50Milliseconds: 0, p999Milliseconds: 0 },
  };
}

try {
  await main();
} catch (error) {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  core.setFailed(`This is a bug in Rollout Gate, please report it: ${logLine(detail)}`);
}
