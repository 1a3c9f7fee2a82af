import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one program asked of the API server, counted where it passes, whoever else uses the cluster. */
export interface Relay {
  /** The content of a kubeconfig that leads through this relay; there are no credentials in it. */
  readonly kubeconfig: string;
  /** Stands in the User-Agent of each request, so that the API server's audit log can be asked as well. */
  readonly mark: string;
  readonly requests: () => number;
  /** Bytes of the answers' bodies as they passed, compressed where the program asks for it. */
  readonly bytes: () => number;
  readonly close: () => void;
}

/** Told of each line that a watch delivers, just before it is passed on; `at` by `performance.now()`. */
export type OnLine = (line: string, at: number) => void;

/** Asked of each request before it goes on; one that is not admitted ends with a connection reset, as where the server cannot be reached. */
export type Admit = (request: {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
}) => boolean;

/** A way to the API server of KUBECONFIG over plain HTTP: `kubectl proxy`, which does the authentication. */
export interface Upstream {
  readonly port: number;
  readonly close: () => void;
}

export async function openUpstream(): Promise<Upstream> {
  const child = spawn('kubectl', ['proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const found = /127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`kubectl proxy ended: ${text}`)));
  });
  return { port, close: () => void child.kill() };
}

export async function openRelay(
  upstream: Upstream,
  onLine: OnLine | null = null,
  admit: Admit = () => true,
): Promise<Relay> {
  const mark = `bench-${Math.random().toString(36).slice(2, 10)}`;
  let requests = 0;
  let bytes = 0;

  function pass(asked: IncomingMessage, response: ServerResponse): void {
    requests += 1;
    const contentType = asked.headers['content-type'] ?? '';
    if (!admit({ method: asked.method ?? '', path: asked.url ?? '', contentType })) {
      asked.socket.resetAndDestroy();
      return;
    }
    const headers = { ...asked.headers, host: `127.0.0.1:${upstream.port}` };
    headers['user-agent'] = `${asked.headers['user-agent'] ?? ''} ${mark}`;
    const { method, url: path } = asked;
    const onward = request({ host: '127.0.0.1', port: upstream.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      const split = onLine !== null && /[?&]watch=(true|1)/.test(path ?? '') ? lines(onLine) : null;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        split?.(chunk);
        response.write(chunk);
      });
      answer.on('end', () => response.end());
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  const server = createServer(pass);
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    kubeconfig: plainKubeconfig((server.address() as AddressInfo).port),
    mark,
    requests: () => requests,
    bytes: () => bytes,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function lines(onLine: OnLine): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const at = performance.now();
    const parts = (rest + chunk.toString('utf8')).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) onLine(part, at);
  };
}

/** A kubeconfig for a server on loopback that asks for no credentials. */
export function plainKubeconfig(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [{ name: 'bench', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'bench', user: {} }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
  });
}
