import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Recording } from '../../src/cluster/recording.ts';
import type { Report } from '../../src/report/report.ts';
import type { Faults } from './faults.ts';
import { startReplay } from './server.ts';

const BUNDLE = path.resolve(import.meta.dirname, '../../dist/index.js');
const CLOCK = path.resolve(import.meta.dirname, 'clock.ts');

export interface BundleRun {
  readonly code: number;
  readonly log: string;
  readonly report: Report;
  readonly summary: string;
  readonly outputs: string;
  readonly journal: readonly string[];
}

export interface BundleOptions {
  readonly recording: Recording;
  /** The workspace: where the input `manifests` is looked for. */
  readonly workspace: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Everything that the run writes goes here; emptied before. */
  readonly folder: string;
  /** Virtual per real seconds. */
  readonly speed: number;
  readonly faults?: Faults;
  /** Further variables of the environment, as the runner would set them. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Told of the log as it comes. */
  readonly onLog?: (text: string) => void;
}

/** Runs `dist/index.js` as a runner would start it, against a recording that a server on loopback plays to it. */
export async function runBundle(options: BundleOptions): Promise<BundleRun> {
  const { folder, recording, speed } = options;
  await rm(folder, { recursive: true, force: true });
  await mkdir(path.join(folder, 'temp'), { recursive: true });
  const files = { GITHUB_OUTPUT: path.join(folder, 'output'), GITHUB_STEP_SUMMARY: path.join(folder, 'summary.md') };
  for (const file of Object.values(files)) await writeFile(file, '');
  const replay = await startReplay(recording, {
    speed,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
  });
  try {
    const inputs = Object.entries({ kubeconfig: replay.kubeconfig, ...options.inputs }).map(([name, value]) => [
      `INPUT_${name.toUpperCase()}`,
      value,
    ]);
    const env = {
      ...Object.fromEntries(inputs),
      ...files,
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: options.workspace,
      RUNNER_TEMP: path.join(folder, 'temp'),
      REPLAY_SPEED: String(speed),
      REPLAY_START: recording.header.startedAt,
      ...options.variables,
    };
    const { code, log } = await start(env, options.onLog ?? (() => undefined));
    const outputs = await readFile(files.GITHUB_OUTPUT, 'utf8');
    const report = /^report<<(\S+)\n(.*)\n\1$/m.exec(outputs)?.[2];
    if (report === undefined)
      throw new Error(`the run left no report; it printed:\n${log}\nand asked:\n${replay.journal.join('\n')}`);
    return {
      code,
      log,
      outputs,
      report: JSON.parse(await readFile(report, 'utf8')) as Report,
      summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8'),
      journal: replay.journal,
    };
  } finally {
    await replay.close();
  }
}

function start(
  env: Readonly<Record<string, string>>,
  onLog: (text: string) => void,
): Promise<{ readonly code: number; readonly log: string }> {
  const child = spawn(process.execPath, ['--import', CLOCK, BUNDLE], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      onLog(text);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, log }));
  });
}
