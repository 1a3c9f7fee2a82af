import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Report } from '../src/report/report.ts';
import { type Command, type Cost, timed } from './process.ts';

export const BUNDLE = process.env['ROLLOUT_GATE_BUNDLE'] ?? path.resolve(import.meta.dirname, '../dist/index.js');
/** The path of Helm 4; empty: it is left out. */
export const HELM = process.env['HELM'] ?? '';

/** The gate as a runner starts it. Without a kubeconfig it takes the one of the environment. */
export async function gateCommand(
  manifest: string,
  inputs: Readonly<Record<string, string>> = {},
  kubeconfig = '',
): Promise<Command> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-gate-'));
  for (const name of ['output', 'summary']) await writeFile(path.join(folder, name), '');
  await writeFile(path.join(folder, 'manifest.yaml'), manifest);
  const all = { manifests: 'manifest.yaml', 'stable-for': '0s', kubeconfig, ...inputs };
  const env = {
    ...process.env,
    GITHUB_OUTPUT: path.join(folder, 'output'),
    GITHUB_STEP_SUMMARY: path.join(folder, 'summary'),
    GITHUB_WORKSPACE: folder,
    RUNNER_TEMP: folder,
    ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
  };
  return { command: [process.execPath, BUNDLE], env, folder };
}

/** Runs the gate. @throws if it comes to another verdict than the one whose cost is to be measured */
export async function gate(
  command: Command,
  expected: string,
  lookFor: RegExp | null = null,
): Promise<Cost & { readonly report: Report }> {
  const cost = await timed(command, lookFor);
  const output = await readFile(path.join(command.folder, 'output'), 'utf8');
  const file = /^report<<(\S+)\n(.*)\n\1$/m.exec(output)?.[2] ?? '';
  const report = JSON.parse(await readFile(file, 'utf8')) as Report;
  const found = `${report.verdict} ${report.cause}`.trim();
  if (found !== expected) throw new Error(`the gate said ${found} where ${expected} was expected: ${report.reason}`);
  return { ...cost, report };
}

/** A home of its own: no cache that an earlier run left, as on a fresh runner. */
async function home(prefix: string, kubeconfig: string): Promise<{ folder: string; env: NodeJS.ProcessEnv }> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: folder };
  if (kubeconfig === '') return { folder, env };
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig);
  return { folder, env: { ...env, KUBECONFIG: file } };
}

/** `kubectl apply`, then one `kubectl rollout status` for each Deployment, all at once, as users wait for several. */
export async function kubectlCommand(
  manifest: string,
  namespace: string,
  names: readonly string[] = ['web'],
  kubeconfig = '',
): Promise<Command> {
  const { folder, env } = await home('bench-kubectl-', kubeconfig);
  await writeFile(path.join(folder, 'm.yaml'), manifest);
  const status = (name: string) => `kubectl rollout status deployment/${name} -n ${namespace}`;
  const [first = '', ...more] = names;
  const waits =
    more.length === 0
      ? `exec ${status(first)}`
      : `pids=(); ${names.map((name) => `${status(name)} & pids+=($!)`).join('; ')}; ` +
        // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
        'code=0; for pid in "${pids[@]}"; do wait "$pid" || code=1; done; exit $code';
  return { command: ['bash', '-c', `kubectl apply -f m.yaml && { ${waits}; }`], env, folder };
}

/** `kubectl rollout status` of a Deployment that somebody else is about to create. */
export async function kubectlWatchCommand(namespace: string): Promise<Command> {
  const { folder, env } = await home('bench-kubectl-', '');
  const created = `kubectl wait --for=create deployment/web -n ${namespace} --timeout=60s`;
  const status = `kubectl rollout status deployment/web -n ${namespace}`;
  return { command: ['bash', '-c', `${created} && exec ${status}`], env, folder };
}

/** `helm upgrade --install --wait` of a chart that holds just the manifest. */
export async function helmCommand(
  manifest: string,
  namespace: string,
  timeout: string,
  kubeconfig = '',
): Promise<Command> {
  const { folder, env } = await home('bench-helm-', kubeconfig);
  const chart = path.join(folder, 'chart');
  await mkdir(path.join(chart, 'templates'), { recursive: true });
  await writeFile(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: bench\nversion: 0.1.0\n');
  await writeFile(path.join(chart, 'templates/m.yaml'), manifest);
  const command = [HELM, 'upgrade', '--install', 'bench', chart, '-n', namespace, '--wait', '--timeout', timeout];
  return { command, env, folder };
}

/** Runs a peer. @throws if it ends otherwise than it must for its cost to mean something */
export async function peer(command: Command, succeeds: boolean, lookFor: RegExp | null = null): Promise<Cost> {
  const cost = await timed(command, lookFor);
  if ((cost.code === 0) !== succeeds)
    throw new Error(`${command.command[0]} ended with ${cost.code}: ${cost.output.slice(-500)}`);
  return cost;
}
