import { spawn } from 'node:child_process';
import { GateError } from '../problem.ts';
import type { Environment } from './kubeconfig-source.ts';

/** A credential plugin as the kubeconfig names it. Source: client.authentication.k8s.io/v1. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
  readonly installHint: string;
}

/** What a plugin returned. `expiresAt`: milliseconds since the epoch, null if it did not say. */
export interface ExecCredential {
  readonly token: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly expiresAt: number | null;
}

/** What the plugin is told of the cluster, where it asked for that. */
export interface ExecCluster {
  readonly server: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'proxy-url'?: string;
}

/** How long output may still arrive after the plugin has ended, in milliseconds. */
const OUTPUT_GRACE_MS = 1_000;

/**
 * Runs the plugin once.
 *
 * @param timeoutMs after which it is killed: a plugin that waits for a browser would wait for ever in a job
 * @throws GateError with the plugin's name and what it wrote to its error output
 */
export async function runExecPlugin(
  plugin: ExecPlugin,
  cluster: ExecCluster,
  env: Environment,
  timeoutMs: number,
): Promise<ExecCredential> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) },
  };
  const output = await run(plugin, { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) }, timeoutMs);
  return readCredential(plugin, output);
}

async function run(plugin: ExecPlugin, env: Environment, timeoutMs: number): Promise<string> {
  const child = spawn(plugin.command, [...plugin.args], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.on('error', (error) => reject(notStarted(plugin, error)));
  const settle = (code: number | null, killedBy: NodeJS.Signals | null) => {
    child.stdout.destroy();
    child.stderr.destroy();
    if (code === 0) return resolve(Buffer.concat(output).toString('utf8'));
    const why =
      killedBy === 'SIGKILL'
        ? `did not finish within ${timeoutMs / 1_000} s`
        : `failed with exit code ${code ?? killedBy}`;
    const said = Buffer.concat(errors).toString('utf8').trim().slice(-1_000);
    return reject(
      GateError.of(
        `The credential plugin "${plugin.command}" of the kubeconfig ${why}${said === '' ? '.' : `: ${said}`}`,
      ),
    );
  };
  child.on('close', settle);
  // A grandchild that outlives the plugin may hold its output open, and `close` would never come.
  child.on('exit', (code, killedBy) => setTimeout(settle, OUTPUT_GRACE_MS, code, killedBy).unref());
  return promise;
}

function notStarted(plugin: ExecPlugin, error: Error): GateError {
  const missing = 'code' in error && error.code === 'ENOENT';
  const hint =
    plugin.installHint === '' ? 'Install it in a step before, or use a kubeconfig with a token.' : plugin.installHint;
  return GateError.of(
    missing
      ? `The credential plugin "${plugin.command}" that the kubeconfig names is not installed on this runner. ${hint}`
      : `The credential plugin "${plugin.command}" of the kubeconfig cannot be started: ${error.message}.`,
    { cause: error },
  );
}

function readCredential(plugin: ExecPlugin, output: string): ExecCredential {
  // The output itself is never shown: it holds the credential.
  const wrong = (what: string) =>
    GateError.of(
      `The credential plugin "${plugin.command}" of the kubeconfig answered with ${what}: an ExecCredential of ${plugin.apiVersion || 'client.authentication.k8s.io/v1'} was expected.`,
    );
  const parsed = parseJson(output);
  if (typeof parsed !== 'object' || parsed === null) throw wrong('something that is not JSON');
  const status =
    'status' in parsed && typeof parsed.status === 'object' && parsed.status !== null
      ? (parsed.status as Record<string, unknown>)
      : null;
  if (status === null) throw wrong('no status');
  const field = (name: string) =>
    typeof status[name] === 'string' && status[name] !== '' ? String(status[name]).trim() : null;
  const expiresAt = Date.parse(field('expirationTimestamp') ?? '');
  const credential = {
    token: field('token'),
    cert: field('clientCertificateData'),
    key: field('clientKeyData'),
    expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
  };
  if (credential.token === null && (credential.cert === null || credential.key === null))
    throw wrong('neither a token nor a certificate with its key');
  return credential;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
