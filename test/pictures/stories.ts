import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseRecording } from '../../src/cluster/recording.ts';
import type { Report } from '../../src/report/report.ts';
import { inputsOf, manifestOf } from '../replay/recorded-run.ts';
import { runBundle } from '../replay/run-bundle.ts';

/** Each with where it comes from: a recording that is played to the bundle, or a report that a live run left. */
export const STORIES = {
  'worked-case': { recording: 'replay/demo/recording.ndjson', manifest: 'replay/demo/web.yaml' },
  success: { recording: 'recordings/deployment-update-succeeds.ndjson', manifest: null },
  image: { recording: 'recordings/image-not-found-update.ndjson', manifest: null },
  'probe-kill': { recording: 'recordings/liveness-kills-slow-start.ndjson', manifest: null },
  rollback: { report: 'pictures/reports/rollback.json' },
  'ten-workloads': { report: 'pictures/reports/ten-workloads.json' },
  hostile: { report: 'pictures/reports/hostile.json' },
  plan: { report: 'pictures/reports/plan.json' },
} as const;

export type StoryName = keyof typeof STORIES;

const TEST = path.resolve(import.meta.dirname, '..');
const SPEED = 15;

/** The report of a story, as a run of today's bundle makes it, or as a live run left it. */
export async function reportOf(name: StoryName): Promise<Report> {
  const story = STORIES[name];
  if ('report' in story) return JSON.parse(readFileSync(path.join(TEST, story.report), 'utf8')) as Report;
  const recording = parseRecording(readFileSync(path.join(TEST, story.recording), 'utf8'));
  const folder = mkdtempSync(path.join(tmpdir(), 'picture-'));
  try {
    const workspace = path.join(folder, 'workspace');
    const text =
      story.manifest === null ? manifestOf(recording) : readFileSync(path.join(TEST, story.manifest), 'utf8');
    mkdirSync(workspace, { recursive: true });
    writeFileSync(path.join(workspace, 'manifest.yaml'), text);
    const inputs = { ...inputsOf(recording), ...(story.manifest === null ? {} : { 'stable-for': '5s' }) };
    const run = await runBundle({ recording, workspace, inputs, folder: path.join(folder, 'run'), speed: SPEED });
    return run.report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
