import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { GateError } from '../../src/problem.ts';
import { connectTo, json, kubeconfigFor, refusal, type Script, startServer, withVersion } from './scripted-server.ts';

/** Runs through the steps, one for each request, and stays at the last. */
function steps(...scripts: readonly Script[]): Script {
  let index = 0;
  return withVersion((seen, response) => {
    const script = scripts[Math.min(index, scripts.length - 1)];
    index += 1;
    script?.(seen, response);
  });
}

const fine: Script = (_seen, response) => json(response, 200, { fine: true });
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Script =>
  (_seen, response) =>
    json(response, code, refusal(code, 'Refused'), headers);
const cut: Script = (_seen, response) => void response.destroy();
const torn: Script = (_seen, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
  response.write('{"items":[');
  response.destroy();
};

const GET = { method: 'GET', path: '/api/v1/pods' } as const;
const CREATE = { method: 'POST', path: '/api/v1/namespaces/shop/pods', body: {} } as const;
const APPLY = {
  method: 'PATCH',
  path: '/api/v1/namespaces/shop/pods/a',
  contentType: 'application/apply-patch+yaml',
  body: {},
} as const;
const MERGE = { ...APPLY, contentType: 'application/merge-patch+json' } as const;

describe('a request', () => {
  for (const [what, request, trouble, sent, outcome] of [
    ['a read is repeated after 429', GET, status(429), 2, 200],
    ['a read is repeated after 503', GET, status(503), 2, 200],
    ['a read is repeated after 504', GET, status(504), 2, 200],
    ['a read is repeated after a 500 that says when', GET, status(500, { 'Retry-After': '0' }), 2, 200],
    ['a read is not repeated after a plain 500', GET, status(500), 1, 500],
    ['a read is not repeated after 404', GET, status(404), 1, 404],
    ['a read is repeated when the connection is cut', GET, cut, 2, 200],
    ['a read is repeated when its answer is torn', GET, torn, 2, 200],
    ['an apply is repeated when the connection is cut', APPLY, cut, 2, 200],
    ['an apply is repeated after 503', APPLY, status(503), 2, 200],
    ['an apply is not repeated after a conflict', APPLY, status(409), 1, 409],
    ['a creation is repeated after 429', CREATE, status(429), 2, 200],
    ['a creation is not repeated after 503', CREATE, status(503), 1, 503],
    ['a creation is repeated as a dry run', { ...CREATE, query: { dryRun: 'All' } }, status(503), 2, 200],
    ['what can be done only once is repeated when the connection is cut', { ...MERGE, guarded: true }, cut, 2, 200],
    ['what can be done only once is not repeated after a conflict', { ...MERGE, guarded: true }, status(409), 1, 409],
    ['another patch is not repeated after 503', MERGE, status(503), 1, 503],
  ] as const) {
    it(what, async (t) => {
      const { url, seen } = await startServer(t, steps(trouble, fine));
      const connection = await connectTo(t, kubeconfigFor(url));
      assert.equal((await connection.request(request)).status, outcome);
      assert.equal(seen.length - 1, sent);
      assert.equal(connection.stats().retries, sent - 1);
    });
  }

  it('that may have reached the server is not sent twice: the failure says so', async (t) => {
    const { url, seen } = await startServer(t, steps(cut));
    const connection = await connectTo(t, kubeconfigFor(url));
    await assert.rejects(
      connection.request(CREATE),
      (error) => error instanceof GateError && /closed before the answer was complete/.test(error.message),
    );
    assert.equal(seen.length - 1, 1);
  });

  it('waits as long as Retry-After asks, and says so', async (t) => {
    const { url } = await startServer(t, steps(status(429, { 'Retry-After': '0.2' }), fine));
    const notices: string[] = [];
    const connection = await connectTo(t, kubeconfigFor(url), { onRetry: (notice) => notices.push(notice) });
    const began = performance.now();
    await connection.request(GET);
    assert.ok(performance.now() - began >= 190);
    assert.deepEqual(notices, ['GET /api/v1/pods: the server answered 429 (Refused); trying again in 0.2 s']);
  });

  it('ends with the last refusal when waiting would take longer than there is time', async (t) => {
    const { url, seen } = await startServer(t, steps(status(429, { 'Retry-After': '3600' })));
    const connection = await connectTo(t, kubeconfigFor(url));
    assert.equal((await connection.request(GET)).status, 429);
    assert.equal(seen.length - 1, 1);
  });

  it('ends at once when it is aborted', async (t) => {
    const { url } = await startServer(
      t,
      steps(() => undefined),
    );
    const connection = await connectTo(t, kubeconfigFor(url));
    const reason = new Error('enough');
    await assert.rejects(connection.request({ ...GET, signal: AbortSignal.any([AbortSignal.abort(reason)]) }), reason);
    const controller = new AbortController();
    const pending = connection.request({ ...GET, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 10);
    await assert.rejects(pending, reason);
  });

  it('sends the body as it is, and reads compressed JSON and plain text', async (t) => {
    const { url, seen } = await startServer(
      t,
      steps(
        (_seen, response) => {
          response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
          response.end(gzipSync('{"a":"é"}'));
        },
        (_seen, response) => {
          response.writeHead(200, { 'Content-Type': 'text/plain' });
          response.end('{"a log line":1}');
        },
      ),
    );
    const connection = await connectTo(t, kubeconfigFor(url));
    const body = { from: [{ 'x-y': null }], Z: 1 };
    const first = await connection.request({ ...APPLY, query: { fieldManager: 'me', force: 'true' }, body });
    assert.deepEqual(first.ok && first.body, { a: 'é' });
    assert.equal(seen[1]?.body, JSON.stringify(body));
    assert.deepEqual(seen[1]?.query, { fieldManager: 'me', force: 'true' });
    assert.equal(seen[1]?.headers['content-type'], 'application/apply-patch+yaml');
    const second = await connection.request(GET);
    assert.equal(second.ok && second.body, '{"a log line":1}');
  });

  it('is refused by a load balancer in HTML: the words are kept, the markup is not', async (t) => {
    const { url } = await startServer(
      t,
      steps((_seen, response) => {
        response.writeHead(500, { 'Content-Type': 'text/html' });
        response.end('<html><style>x{}</style><h1>Bad  gateway</h1></html>');
      }),
    );
    const answer = await (await connectTo(t, kubeconfigFor(url))).request(GET);
    assert.match(answer.ok ? '' : (answer.failure.message ?? ''), /answered 500 with: Bad gateway$/);
  });
});

describe('the connection', () => {
  it('goes by the clock of the server where the two clearly differ', async (t) => {
    const hour = 3_600_000;
    const { url } = await startServer(t, (_seen, response) => {
      response.sendDate = false;
      json(response, 200, { gitVersion: 'v1' }, { Date: new Date(Date.now() + hour).toUTCString() });
    });
    const connection = await connectTo(t, kubeconfigFor(url));
    assert.ok(Math.abs(connection.now() - Date.now() - hour) < 2_000);
  });

  it('goes by the local clock where a second of difference is all that can be seen', async (t) => {
    const { url } = await startServer(t, steps(fine));
    const connection = await connectTo(t, kubeconfigFor(url));
    assert.ok(Math.abs(connection.now() - Date.now()) < 10);
  });

  it('counts and times what it asked', async (t) => {
    const { url } = await startServer(t, steps(fine));
    const connection = await connectTo(t, kubeconfigFor(url));
    await connection.request(APPLY);
    await connection.request(GET);
    const { requests, bytesReceived, verbs, firstRequestAt } = connection.stats();
    assert.equal(requests, 3);
    assert.ok(bytesReceived > 20);
    assert.ok(firstRequestAt !== null && firstRequestAt <= Date.now());
    assert.deepEqual(Object.keys(verbs), ['apply', 'get']);
    assert.equal(verbs['get']?.count, 2);
  });

  it('is closed at once, and ends what is under way', async (t) => {
    const { url } = await startServer(
      t,
      steps(() => undefined),
    );
    const connection = await connectTo(t, kubeconfigFor(url));
    const pending = assert.rejects(connection.request(GET), /was closed/);
    const began = performance.now();
    await connection.close();
    await pending;
    assert.ok(performance.now() - began < 50);
  });
});
