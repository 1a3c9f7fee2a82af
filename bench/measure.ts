import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const BUNDLE = process.env['ROLLOUT_GATE_BUNDLE'] ?? path.resolve(import.meta.dirname, '../dist/index.js');

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** What one whole process cost. */
export interface Cost {
  readonly seconds: number;
  readonly code: number;
  /** The most memory that it held, in MiB. */
  readonly mebibytes: number;
  readonly output: string;
}

/** Runs a command to its end; the memory is the operating system's own account of it (`/usr/bin/time`). */
export async function timed(
  command: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = tmpdir(),
): Promise<Cost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  const account = path.join(folder, 'memory');
  const began = performance.now();
  const child = spawn('/usr/bin/time', ['-f', '%M', '-o', account, ...command], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? -1));
  });
  const seconds = (performance.now() - began) / 1000;
  const memory = (await readFile(account, 'utf8')).trim().split('\n').at(-1);
  return { seconds, code, mebibytes: Number(memory) / 1024, output };
}

/** The gate as a runner starts it. */
export async function gateCommand(
  manifest: string,
  inputs: Readonly<Record<string, string>> = {},
): Promise<{ readonly env: NodeJS.ProcessEnv; readonly folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-gate-'));
  for (const name of ['output', 'summary']) await writeFile(path.join(folder, name), '');
  await writeFile(path.join(folder, 'manifest.yaml'), manifest);
  const all = { manifests: 'manifest.yaml', 'stable-for': '0s', ...inputs };
  const env = {
    ...process.env,
    GITHUB_OUTPUT: path.join(folder, 'output'),
    GITHUB_STEP_SUMMARY: path.join(folder, 'summary'),
    GITHUB_WORKSPACE: folder,
    RUNNER_TEMP: folder,
    ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
  };
  return { env, folder };
}

export async function gate(
  manifest: string,
  inputs: Readonly<Record<string, string>> = {},
): Promise<Cost & { readonly folder: string }> {
  const { env, folder } = await gateCommand(manifest, inputs);
  return { ...(await timed([process.execPath, BUNDLE], env, folder)), folder };
}

/** Milliseconds from the start of a command to its first request at a server that notes nothing but that. */
export async function firstRequest(
  start: (kubeconfig: string) => { readonly command: readonly string[]; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  const arrived = Promise.withResolvers<number>();
  const server = createServer((_request, response) => {
    arrived.resolve(performance.now());
    response.writeHead(403, { 'Content-Type': 'application/json' });
    response.end('{"kind":"Status","apiVersion":"v1","status":"Failure","code":403}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'b',
    clusters: [{ name: 'b', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'b', user: { token: 'bench-token' } }],
    contexts: [{ name: 'b', context: { cluster: 'b', user: 'b' } }],
  });
  const { command, env } = start(kubeconfig);
  const began = performance.now();
  const child = spawn(command[0] ?? '', command.slice(1), { env, stdio: 'ignore' });
  const at = await arrived.promise;
  child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  return at - began;
}
