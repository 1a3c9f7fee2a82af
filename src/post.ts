import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as core from '@actions/core';
import { announce } from './announce.ts';
import { connect } from './cluster/connect.ts';
import { readInputs } from './inputs.ts';
import { readWanted } from './inputs-github.ts';
import { GateError } from './problem.ts';
import { say } from './progress-log.ts';
import { publish } from './publish.ts';
import { composeReport, type RunFacts } from './report/compose.ts';
import { outcomeOf } from './report/outcome.ts';
import type { Report } from './report/report.ts';
import { finishInterrupted } from './rollback/interrupted.ts';
import type { Secrets } from './text/secrets.ts';
import { VERSION } from './version.ts';

/** What the main step left for the one that runs after the job. */
export interface Left {
  /** The evidence folder of the main step. */
  readonly folder: string;
  readonly run: string;
  readonly facts: RunFacts;
}

/**
 * What the runner starts after the job, if the main step did not come to its end: it finishes a rollback that was cut off, and says what is
 * known. The restored workloads are not followed: a runner that ends a job gives no time for it.
 */
export async function post({ folder, run, facts }: Left, secrets: Secrets): Promise<Report> {
  const left = await readReport(folder);
  const report = left === null ? composeReport(facts, null, new Map(), true) : await finished(left, run, secrets);
  const recording = path.join(folder, 'recording.ndjson');
  const announcer = await announce(readWanted(input).wanted, process.env, secrets, true);
  const places = { folder, recording, summaryFile: process.env['GITHUB_STEP_SUMMARY'] ?? '' };
  await announcer.conclude(outcomeOf(await publish(report, places, secrets)));
  say(`The main step did not come to its end. ${report.rollback?.reason ?? report.reason}`, secrets);
  return report;
}

/** The report as the main step left it before it began a rollback; null if it did not come that far. */
async function readReport(folder: string): Promise<Report | null> {
  try {
    return JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')) as Report;
  } catch {
    return null;
  }
}

async function finished(report: Report, run: string, secrets: Secrets): Promise<Report> {
  if (report.rollback === null) return report;
  const told = await finishRollback(report, run, secrets);
  const reason =
    told.length === 0
      ? 'The step was ended in the middle of its rollback, and no ledger says what was left to do: apply the manifest of the state that you want'
      : `The step was ended in the middle of its rollback. ${told.join('. ')}. Whether it became ready was not followed`;
  return { ...report, rollback: { ...report.rollback, outcome: 'failed', reason } };
}

async function finishRollback(report: Report, run: string, secrets: Secrets): Promise<readonly string[]> {
  try {
    const options = readInputs(input);
    const connection = await connect({ ...options, version: VERSION }, process.env, { onSecret: secrets.add });
    try {
      const namespaces = new Set(report.changes.map((each) => each.namespace).filter((each) => each !== ''));
      return await finishInterrupted(namespaces, { ...options, api: connection, run });
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof GateError) return [`It could not be finished: ${error.message}`];
    throw error;
  }
}

function input(name: string): string {
  return core.getInput(name, { trimWhitespace: false });
}
