import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Report } from '../../src/report/report.ts';

const run = promisify(execFile);
const BUNDLE = process.env['ROLLOUT_GATE_BUNDLE'] ?? path.resolve(import.meta.dirname, '../../dist/index.js');

/** Where the test images come from: `app` and `busybox` as docs/testing.md describes them. */
export const REGISTRY = process.env['ROLLOUT_GATE_TEST_REGISTRY'] ?? 'registry.local';

/** Why no live test can run here; false if they can. */
export const skip: string | false = process.env['KUBECONFIG'] === undefined ? 'KUBECONFIG names no cluster' : false;

/** kubectl, as another person would use it beside the gate. */
export async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const child = run('kubectl', [...args], { maxBuffer: 64 * 1024 * 1024 });
  if (input !== undefined) child.child.stdin?.end(input);
  return (await child).stdout;
}

/** What a run of the action left behind. */
export interface GateRun {
  readonly code: number;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly report: Report;
}

/** A run that goes on, so that something can happen beside it. */
export interface RunningGate {
  readonly result: Promise<GateRun>;
  /** Resolves once the log has a line that matches. */
  readonly logged: (pattern: RegExp) => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** The runner's folder for what a job leaves, the gate's own within it. */
  readonly temp: string;
}

/** Starts the bundle as the runner would: inputs in the environment, files for outputs and summary. */
export async function startGate(
  manifest: string,
  inputs: Readonly<Record<string, string>> = {},
  /** Further variables of the environment, as the runner would set them. */
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningGate> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rollout-gate-'));
  const [output, summary] = ['output', 'summary'].map((name) => path.join(folder, name)) as [string, string];
  await Promise.all([
    writeFile(output, ''),
    writeFile(summary, ''),
    writeFile(path.join(folder, 'manifest.yaml'), manifest),
  ]);
  const temp = path.join(folder, 'temp');
  await mkdir(temp);
  const env = {
    ...process.env,
    ...variables,
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_WORKSPACE: folder,
    RUNNER_TEMP: temp,
    ...Object.fromEntries(
      Object.entries({ manifests: 'manifest.yaml', ...inputs }).map(([name, value]) => [
        `INPUT_${name.toUpperCase()}`,
        value,
      ]),
    ),
  };
  const child = execFile(process.execPath, [BUNDLE], { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  let log = '';
  const waiting: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: string) => {
      log += chunk;
      for (const each of waiting) if (each.pattern.test(log)) each.resolve();
    });
  }
  const result = new Promise<GateRun>((resolve, reject) => {
    child.on('close', (code) => {
      readRun(code ?? -1, log, output, summary).then(resolve, reject);
    });
  });
  return {
    result,
    logged: (pattern) =>
      new Promise((resolve) => {
        if (pattern.test(log)) resolve();
        else waiting.push({ pattern, resolve });
      }),
    kill: (signal) => child.kill(signal),
    temp,
  };
}

export async function gate(manifest: string, inputs: Readonly<Record<string, string>> = {}): Promise<GateRun> {
  return (await startGate(manifest, inputs)).result;
}

async function readRun(code: number, log: string, outputFile: string, summaryFile: string): Promise<GateRun> {
  const outputs = parseOutputs(await readFile(outputFile, 'utf8'));
  const report = outputs['report'];
  if (report === undefined) throw new Error(`the gate left no report; it printed:\n${log}`);
  return {
    code,
    log,
    outputs,
    summary: await readFile(summaryFile, 'utf8'),
    report: JSON.parse(await readFile(report, 'utf8')) as Report,
  };
}

/** Reads the runner's output file: `name<<delimiter`, lines, `delimiter`. */
function parseOutputs(text: string): Record<string, string> {
  const pattern = /^([^\n<]+)<<(\S+)\n([\s\S]*?)\n?\2$/gm;
  return Object.fromEntries([...text.matchAll(pattern)].map((match) => [match[1] ?? '', match[3] ?? '']));
}

/** A namespace of the test's own, with two bystanders that no run may touch; removed afterwards, without waiting. */
export async function inNamespace(name: string, body: (namespace: string) => Promise<void>): Promise<void> {
  const namespace = `gate-${name}-${Math.random().toString(36).slice(2, 7)}`;
  await kubectl(['create', 'namespace', namespace]);
  try {
    await kubectl(['apply', '-n', namespace, '-f', '-'], BYSTANDERS);
    const before = await bystanders(namespace);
    await body(namespace);
    const after = await bystanders(namespace);
    if (before !== after) throw new Error(`a bystander was changed: ${before} became ${after}`);
  } finally {
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
  }
}

async function bystanders(namespace: string): Promise<string> {
  const format =
    'jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid} {.metadata.generation} {.data}{"\\n"}{end}';
  return kubectl(['get', 'deployment,configmap', '-n', namespace, '-l', 'bystander=yes', '-o', format]);
}

const BYSTANDERS = `
apiVersion: v1
kind: ConfigMap
metadata: { name: bystander, labels: { bystander: "yes" } }
data: { untouched: "true" }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: bystander, labels: { bystander: "yes" } }
spec:
  replicas: 0
  selector: { matchLabels: { app: bystander } }
  template:
    metadata: { labels: { app: bystander } }
    spec: { containers: [{ name: app, image: ${REGISTRY}/app:v1 }] }
`;

/** A Deployment of the test application; every field of its container and spec can be replaced. */
export function app(
  namespace: string,
  overrides: {
    readonly name?: string;
    readonly replicas?: number;
    readonly container?: object;
    readonly pod?: object;
    readonly spec?: object;
  } = {},
): string {
  const name = overrides.name ?? 'web';
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: overrides.replicas ?? 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'app',
              image: `${REGISTRY}/app:v1`,
              readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
              ...overrides.container,
            },
          ],
          ...overrides.pod,
        },
      },
      ...overrides.spec,
    },
  });
}

/** Several objects as one manifest. */
export function documents(...objects: readonly string[]): string {
  return objects.join('\n---\n');
}
