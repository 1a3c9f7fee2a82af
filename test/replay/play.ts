import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Recording } from '../../src/cluster/recording.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { isChange } from './gates.ts';
import { type ReplayOptions, startReplay } from './server.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** What a run left behind. */
export interface Played {
  readonly code: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  /** What it wrote to the job's log. */
  readonly log: string;
  readonly summary: string;
  /** The requests as the server saw them. */
  readonly journal: readonly string[];
  readonly seconds: number;
}

export interface PlayOptions extends ReplayOptions {
  /** Written to as the run writes. */
  readonly onLog?: (text: string) => void;
  /** More inputs, by name, over those of the recorded run. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly manifest?: string;
}

/** Plays a recording to the bundle that a runner would start, as a runner would start it, in a folder of its own that is removed afterwards. */
export async function play(recording: Recording, options: PlayOptions): Promise<Played> {
  const folder = await mkdtemp(path.join(tmpdir(), 'replay-'));
  const replay = await startReplay(recording, options);
  const began = performance.now();
  try {
    const file = (name: string) => path.join(folder, name);
    for (const name of ['output', 'summary', 'state']) await writeFile(file(name), '');
    await writeFile(file('manifest.yaml'), options.manifest ?? manifestOf(recording));
    const inputs = { ...inputsOf(recording), kubeconfig: replay.kubeconfig, ...options.inputs };
    const named = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
    const { code, log } = await run(folder, options.onLog, {
      PATH: process.env['PATH'],
      HOME: folder,
      RUNNER_TEMP: folder,
      GITHUB_WORKSPACE: folder,
      GITHUB_OUTPUT: file('output'),
      GITHUB_STEP_SUMMARY: file('summary'),
      GITHUB_STATE: file('state'),
      REPLAY_SPEED: String(options.speed),
      REPLAY_START: recording.header.startedAt,
      ...Object.fromEntries(named),
    });
    const outputs = readOutputs(await readFile(file('output'), 'utf8'));
    const summary = await readFile(file('summary'), 'utf8');
    return { code, outputs, log, summary, journal: [...replay.journal], seconds: (performance.now() - began) / 1_000 };
  } finally {
    await replay.close();
    await rm(folder, { recursive: true });
  }
}

async function run(
  cwd: string,
  onLog: PlayOptions['onLog'],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly log: string }> {
  const clock = path.join(import.meta.dirname, 'clock.ts');
  const child = spawn(process.execPath, ['--import', clock, path.join(ROOT, 'dist/index.js')], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts: string[] = [];
  const take = (chunk: Buffer) => {
    parts.push(chunk.toString('utf8'));
    onLog?.(chunk.toString('utf8'));
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, log: parts.join('') };
}

/** The inputs of the recorded run, without those that name what is elsewhere now. */
function inputsOf({ header }: Recording): Record<string, string> {
  const kept = [
    'mode',
    'workloads',
    'namespace',
    'patience',
    'timeout',
    'stable-for',
    'field-manager',
    'force-conflicts',
    'log-lines',
  ];
  const texts = Object.entries(header.options).filter(
    ([name, value]) => kept.includes(name) && typeof value === 'string',
  );
  const inputs = Object.fromEntries(texts) as Record<string, string>;
  return inputs['mode'] === 'watch' ? inputs : { ...inputs, manifests: 'manifest.yaml' };
}

/** The objects that the recorded run applied: the server answered with them. What it set itself is left out. */
function manifestOf(recording: Recording): string {
  const applied = recording.lines.flatMap((line) =>
    'request' in line && line.request.method === 'PATCH' && isChange(line) ? [line.body as KubernetesObject] : [],
  );
  const first = new Map(
    [...applied]
      .reverse()
      .map((object) => [`${object.kind}/${object.metadata.namespace}/${object.metadata.name}`, object]),
  );
  const documents = [...first.values()]
    .reverse()
    .map(({ status: _status, metadata: { name, namespace, labels }, ...rest }) => ({
      ...rest,
      metadata: { name, namespace, labels },
    }));
  return documents.map((document) => JSON.stringify(document, null, 2)).join('\n---\n');
}

/** Reads the runner's file of outputs: `name<<delimiter`, the value's lines, the delimiter. */
function readOutputs(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(.+?)<<(.+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name ?? '', value ?? '']),
  );
}
