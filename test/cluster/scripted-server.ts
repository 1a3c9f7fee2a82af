import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type ConnectionHooks, connect } from '../../src/cluster/connect.ts';
import type { FeedTimes } from '../../src/cluster/follow-collection.ts';
import type { RetryPolicy } from '../../src/cluster/retry.ts';

/** One request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Script = (seen: Seen, response: ServerResponse) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly Seen[];
  readonly server: Server;
}

/** Short, so that no test waits; the order of events does not depend on them. */
export const QUICK: RetryPolicy = { budgetMs: 1_000, firstDelayMs: 1, longestDelayMs: 5 };
export const QUICK_FEED: FeedTimes = {
  watchSeconds: 60,
  silenceMs: 60_000,
  pollMs: 5,
  firstDelayMs: 1,
  longestDelayMs: 5,
};

/** A server that answers /version and leaves the rest to the script; closed when the test ends. */
export async function startServer(
  t: TestContext,
  script: Script,
  tls?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://server');
    const one: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    seen.push(one);
    script(one, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => response.destroy());
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, port, seen, server };
}

/** Answers /version as an API server does, and everything else by the script. */
export function withVersion(script: Script): Script {
  return (seen, response) =>
    seen.path === '/version' ? json(response, 200, { gitVersion: 'v1.36.3' }) : script(seen, response);
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function refusal(code: number, reason: string, message = reason): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

export function kubeconfigFor(
  server: string,
  user: Readonly<Record<string, unknown>> = { token: 'a-static-token' },
  cluster: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, ...cluster } }],
    users: [{ name: 'tester', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'tester', namespace: 'shop' } }],
  });
}

/** A connection with short times; closed when the test ends. */
export async function connectTo(
  t: TestContext,
  kubeconfig: string,
  hooks: Partial<ConnectionHooks> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const times = {
    policy: QUICK,
    connectPolicy: { ...QUICK, budgetMs: 100 },
    attemptTimeoutMs: 5_000,
    connectTimeoutMs: 2_000,
    pluginTimeoutMs: 5_000,
  };
  const connection = await connect({ kubeconfig, context: '', version: '1.2.3', ...times }, env, {
    onSecret: () => undefined,
    ...hooks,
  });
  t.after(() => connection.close());
  return connection;
}
