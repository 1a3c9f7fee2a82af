import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubernetesObject } from '../src/kubernetes.ts';
import { plainKubeconfig } from '../test/live/relay.ts';
import { discovery, readPath, resourcesAt } from '../test/replay/resources.ts';

/** An API server that lists what it was given, keeps its watches open, and writes to them what it is told, when it is told. */
export interface TinyServer {
  readonly kubeconfig: string;
  /** Resolves once a watch of the kind is opened from now on. */
  readonly watched: (kind: string) => Promise<void>;
  readonly deliver: (object: KubernetesObject) => void;
  readonly close: () => void;
}

export async function startTinyServer(objects: readonly KubernetesObject[]): Promise<TinyServer> {
  const resources = resourcesAt(
    { header: { rolloutGate: 'recording', version: 1, startedAt: '', tool: '', server: '', options: {} }, lines: [] },
    0,
  );
  const streams = new Map<string, ServerResponse>();
  const waiting = new Map<string, () => void>();

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://tiny');
    const named = readPath(resources, url.pathname);
    if (named !== null && url.searchParams.get('watch') === 'true') {
      open(named.resource.kind, response);
      return;
    }
    const body = answerTo(url.pathname);
    response.writeHead(body === null ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body ?? { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound' }));
  }

  function answerTo(pathname: string): object | null {
    if (pathname === '/version') return { gitVersion: 'v1.36.3' };
    if (pathname === '/api' || pathname === '/apis') return discovery(resources, pathname === '/api');
    const named = readPath(resources, pathname);
    if (named === null || named.name !== '') return null;
    const { kind, apiVersion } = named.resource;
    const items = objects.filter((object) => object.kind === kind);
    return { kind: `${kind}List`, apiVersion, metadata: { resourceVersion: '1' }, items };
  }

  function open(kind: string, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    streams.set(kind, response);
    waiting.get(kind)?.();
  }

  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    kubeconfig: plainKubeconfig((server.address() as AddressInfo).port),
    watched: (kind) => new Promise((resolve) => waiting.set(kind, resolve)),
    deliver: (object) => {
      const metadata = { ...object.metadata, resourceVersion: '2' };
      streams.get(object.kind)?.write(`${JSON.stringify({ type: 'MODIFIED', object: { ...object, metadata } })}\n`);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
