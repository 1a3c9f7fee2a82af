import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as core from '@actions/core';
import { annotationsOf } from './report/annotations.ts';
import type { Report } from './report/report.ts';
import { renderSummary } from './report/summary.ts';
import { logLine } from './text/escape.ts';
import { redactObject } from './text/redact.ts';
import type { Secrets } from './text/secrets.ts';

/** Where the parts of a run's evidence lie. */
export interface Places {
  readonly folder: string;
  readonly recording: string;
  /** The runner's file for the job summary; empty outside of a runner. */
  readonly summaryFile: string;
}

/**
 * Writes all that a run has to say: report.json and summary.md in the evidence folder, the job summary, annotations, outputs. Everything
 * passes through here, so that every text is redacted once and escaped for its medium.
 *
 * @returns the report, redacted
 */
export async function publish(raw: Report, places: Places, secrets: Secrets): Promise<Report> {
  const { report, summary, reportFile } = await keepEvidence(raw, places.folder, secrets);
  if (places.summaryFile !== '') await appendFile(places.summaryFile, summary);
  for (const annotation of annotationsOf(report)) {
    const place = annotation.file === '' ? {} : { file: annotation.file, startLine: annotation.line };
    const write = annotation.level === 'error' ? core.error : core.warning;
    write(annotation.message, { title: annotation.title, ...place });
  }
  setOutputs(report, reportFile, places);
  return report;
}

/** Writes report.json and summary.md into the evidence folder, redacted; nothing else is told of them. */
export async function keepEvidence(raw: Report, folder: string, secrets: Secrets) {
  const report = redactObject(raw, secrets.values());
  const summary = renderSummary(report);
  const reportFile = path.join(folder, 'report.json');
  await mkdir(folder, { recursive: true });
  await writeFile(reportFile, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(path.join(folder, 'summary.md'), summary);
  return { report, summary, reportFile };
}

function setOutputs(report: Report, reportFile: string, places: Places): void {
  const outputs: Readonly<Record<string, string>> = {
    verdict: report.verdict,
    cause: report.cause,
    reason: logLine(report.reason),
    ready: report.ready,
    report: reportFile,
    recording: places.recording,
    evidence: places.folder,
    rollback: report.rollback?.outcome ?? 'none',
    'duration-seconds': String(report.durationSeconds),
    requests: String(report.requests.count),
  };
  for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value);
}
