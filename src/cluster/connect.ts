import { GateError } from '../problem.ts';
import type { Api, ApiAnswer, ApiRequest, ApiResource } from './api.ts';
import { createCredentials } from './credentials.ts';
import { createDiscovery } from './discovery.ts';
import { createDispatchers } from './dispatcher.ts';
import { loadKubeconfig, withoutCredentials } from './kubeconfig.ts';
import type { Environment } from './kubeconfig-source.ts';
import { RETRY_POLICY, type RetryPolicy } from './retry.ts';
import type { RequestStatistics } from './statistics.ts';
import { createTransport, type Transport } from './transport.ts';

/** A request that was answered; `tookMs` from sending to the answer, retries included. */
export interface SentRequest extends ApiRequest {
  readonly tookMs: number;
}

/** What a connection tells of while it works. Each is called in order, and must not throw. */
export interface ConnectionHooks {
  /** Every secret value, before it is used or anything is logged: mask it. */
  readonly onSecret: (value: string) => void;
  /** A request is tried again: what was asked, why, and after how long. */
  readonly onRetry?: (notice: string) => void;
  /** Each request of `api.request` with its answer, for the recording. */
  readonly onExchange?: (request: SentRequest, answer: ApiAnswer) => void;
  /** Which resource serves a kind, each time it was asked for. */
  readonly onResource?: (apiVersion: string, kind: string, resource: ApiResource | null) => void;
}

/** An open connection. Its `Api` face is what the stages use; feed and lookups use the transport, whose requests are recorded otherwise. */
export interface Connection extends Api {
  readonly transport: Transport;
  /** `gitVersion` of the server; empty if it may not be read. */
  readonly version: string;
  /** The kubeconfig's context and user, for messages. */
  readonly context: string;
  readonly user: string;
  readonly stats: () => RequestStatistics;
  readonly close: () => Promise<void>;
}

export interface ConnectOptions {
  readonly kubeconfig: string;
  readonly context: string;
  /** The version of this program, for the User-Agent. */
  readonly version?: string;
  /** For tests; times in milliseconds. */
  readonly policy?: RetryPolicy;
  readonly connectPolicy?: RetryPolicy;
  readonly attemptTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly pluginTimeoutMs?: number;
}

/** A wrong address is not waited for as long as a server that was there before. */
const CONNECT_POLICY: RetryPolicy = { ...RETRY_POLICY, budgetMs: 15_000 };
const CONNECT_TIMEOUT_MS = 10_000;
const PLUGIN_TIMEOUT_MS = 60_000;

/**
 * Finds the kubeconfig, connects and proves with one request that an API server answers and knows the credentials.
 *
 * @throws GateError that names the server or the file, what came back and what to do
 */
export async function connect(options: ConnectOptions, env: Environment, hooks: ConnectionHooks): Promise<Connection> {
  const kubeconfig = loadKubeconfig(options, env, hooks.onSecret);
  const server = withoutCredentials(kubeconfig.server).replace(/\/+$/, '');
  const transport = createTransport({
    server,
    credentials: createCredentials(kubeconfig, env, hooks.onSecret, options.pluginTimeoutMs ?? PLUGIN_TIMEOUT_MS),
    dispatchers: createDispatchers(kubeconfig, env, options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS),
    userAgent: `rollout-gate/${options.version ?? '0'}`,
    onRetry: hooks.onRetry ?? (() => undefined),
    ...(options.policy === undefined ? {} : { policy: options.policy }),
    ...(options.attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs: options.attemptTimeoutMs }),
  });
  const where = `the user "${kubeconfig.user}" of the context "${kubeconfig.context}" (kubeconfig in ${kubeconfig.origin})`;
  try {
    const version = await greet(transport, where, options.connectPolicy ?? CONNECT_POLICY);
    return connection(transport, kubeconfig, version, hooks);
  } catch (error) {
    await transport.close();
    throw error;
  }
}

/** The server's version. Everyone who is known may read it, so that 401 means unknown; 403 is a hardened cluster. */
async function greet(transport: Transport, where: string, policy: RetryPolicy): Promise<string> {
  const answer = await transport.request({ method: 'GET', path: '/version' }, policy);
  if (!answer.ok && answer.status === 403) return '';
  if (!answer.ok && answer.status === 401) {
    throw GateError.of(
      `The API server ${transport.server} does not accept the credentials of ${where}: 401 ${answer.failure.message ?? 'Unauthorized'}. The token or certificate has expired, or belongs to another cluster: renew it.`,
    );
  }
  if (!answer.ok)
    throw GateError.of(
      `The API server ${transport.server} refused the first request: ${answer.status} ${answer.failure.message ?? ''}`.trim(),
    );
  const body = answer.body;
  const version = typeof body === 'object' && body !== null && 'gitVersion' in body ? body.gitVersion : undefined;
  if (typeof version === 'string') return version;
  throw GateError.of(
    `${transport.server}/version was answered, but not by a Kubernetes API server: check the server of the kubeconfig, and whether a proxy answers in its place.`,
  );
}

function connection(
  transport: Transport,
  kubeconfig: ReturnType<typeof loadKubeconfig>,
  version: string,
  hooks: ConnectionHooks,
): Connection {
  const discovery = createDiscovery(transport);
  return {
    transport,
    server: transport.server,
    namespace: kubeconfig.namespace,
    version,
    context: kubeconfig.context,
    user: kubeconfig.user,
    now: transport.now,
    stats: transport.stats,
    close: transport.close,
    request: async (request) => {
      const sentAt = performance.now();
      const answer = await transport.request(request);
      hooks.onExchange?.({ ...request, tookMs: performance.now() - sentAt }, answer);
      return answer;
    },
    resource: async (apiVersion, kind, options) => {
      const resource = await discovery.resource(apiVersion, kind, options);
      hooks.onResource?.(apiVersion, kind, resource);
      return resource;
    },
  };
}
