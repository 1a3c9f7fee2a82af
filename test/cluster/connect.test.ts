import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { connect } from '../../src/cluster/connect.ts';
import { GateError } from '../../src/problem.ts';
import { connectTo, json, kubeconfigFor, QUICK, refusal, startServer, withVersion } from './scripted-server.ts';

const nothing = withVersion((_seen, response) => json(response, 404, refusal(404, 'NotFound')));

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GateError, String(error));
  return error.message;
}

function folder(t: TestContext): string {
  const made = mkdtempSync(path.join(tmpdir(), 'connect-'));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

describe('the server', () => {
  it('is not there', async () => {
    const message = await failureOf(
      connect(
        { kubeconfig: kubeconfigFor('https://127.0.0.1:1'), context: '', connectPolicy: { ...QUICK, budgetMs: 20 } },
        {},
        { onSecret: () => undefined },
      ),
    );
    assert.match(message, /No answer from the API server https:\/\/127\.0\.0\.1:1: the connection was refused/);
  });

  it('does not answer in time', async (t) => {
    const { url } = await startServer(t, () => undefined);
    const options = {
      kubeconfig: kubeconfigFor(url),
      context: '',
      attemptTimeoutMs: 30,
      connectPolicy: { ...QUICK, budgetMs: 40 },
    };
    assert.match(await failureOf(connect(options, {}, { onSecret: () => undefined })), /there was no answer in time/);
  });

  for (const [what, status, type, body, expected] of [
    [
      'is a login page',
      200,
      'text/html',
      '<html>Log in</html>',
      /answered 200 with an HTML page, not as a Kubernetes API server/,
    ],
    ['is something else that speaks JSON', 200, 'application/json', '{"hello":1}', /not by a Kubernetes API server/],
    [
      'does not know the token',
      401,
      'application/json',
      JSON.stringify(refusal(401, 'Unauthorized')),
      /does not accept the credentials of the user "tester" of the context "test".*401 Unauthorized/,
    ],
    [
      'wants TLS',
      400,
      'text/plain',
      'Client sent an HTTP request to an HTTPS server.',
      /Client sent an HTTP request to an HTTPS server/,
    ],
  ] as const) {
    it(what, async (t) => {
      const { url } = await startServer(t, (_seen, response) => {
        response.writeHead(status, { 'Content-Type': type });
        response.end(body);
      });
      assert.match(await failureOf(connectTo(t, kubeconfigFor(url))), expected);
    });
  }

  it('redirects to a login page, whose parameters are not shown', async (t) => {
    const { url } = await startServer(t, (_seen, response) => {
      response.writeHead(302, { Location: 'https://login.example/start?state=abcdef' });
      response.end();
    });
    const message = await failureOf(connectTo(t, kubeconfigFor(url)));
    assert.match(message, /a redirect to https:\/\/login\.example\/start,/);
    assert.doesNotMatch(message, /abcdef/);
  });

  it('forbids even its version: that is no reason to give up', async (t) => {
    const { url } = await startServer(t, (_seen, response) => json(response, 403, refusal(403, 'Forbidden')));
    assert.equal((await connectTo(t, kubeconfigFor(url))).version, '');
  });
});

describe('TLS', () => {
  const missing = !hasOpenssl() && 'openssl is not installed';

  it('names an authority that is not trusted, and a wrong name', { skip: missing }, async (t) => {
    const tls = certificate(t);
    const { url } = await startServer(t, nothing, tls);
    assert.match(await failureOf(connectTo(t, kubeconfigFor(url))), /signed by an authority that is not trusted/);
    const trusted = { 'certificate-authority-data': tls.cert.toString('base64') };
    const message = await failureOf(connectTo(t, kubeconfigFor(url, {}, trusted)));
    assert.match(message, /certificate is not for 127\.0\.0\.1.*tls-server-name/);
    const named = await connectTo(t, kubeconfigFor(url, {}, { ...trusted, 'tls-server-name': 'kube.example' }));
    assert.equal(named.version, 'v1.36.3');
  });

  it('says that a client certificate has expired, where the server only says 401', async (t) => {
    const { url } = await startServer(t, (_seen, response) => json(response, 401, refusal(401, 'Unauthorized')));
    const user = { 'client-certificate-data': Buffer.from(EXPIRED).toString('base64') };
    const message = await failureOf(connectTo(t, kubeconfigFor(url, user)));
    assert.match(message, /client certificate of the kubeconfig expired on 2020-01-02/);
  });
});

function certificate(t: TestContext): { readonly key: Buffer; readonly cert: Buffer } {
  const at = folder(t);
  const file = (name: string) => path.join(at, name);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=kube', '-addext', 'subjectAltName=DNS:kube.example'];
  const files = ['-keyout', file('key'), '-out', file('cert')];
  execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...names], { stdio: 'pipe' });
  return { key: readFileSync(file('key')), cert: readFileSync(file('cert')) };
}

/** Self-signed, valid on the first day of 2020. */
const EXPIRED = `-----BEGIN CERTIFICATE-----
MIIBATCBqAIBATAKBggqhkjOPQQDAjANMQswCQYDVQQDDAJtZTAeFw0yMDAxMDEw
MDAwMDBaFw0yMDAxMDIwMDAwMDBaMA0xCzAJBgNVBAMMAm1lMFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEJ/m8tF9cCdh4t1HDbn7GGClWEpFhr5hvIYXivWK71Whf
KKkfWv/Gft059dNM85E6vGIgI2jv1vcVYnOvNScT0TAKBggqhkjOPQQDAgNIADBF
AiEAgrv8sMtqC4oTrYJ6ii6DuOpDJMz7/a2bPGwMb+fuP14CIFd38y4utSaWd9Fb
9cTn0JyJDyeWJmNGtonN+YQdv7sG
-----END CERTIFICATE-----
`;

function hasOpenssl(): boolean {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL');
  } catch {
    return false;
  }
}

describe('a proxy', () => {
  it('is used if the kubeconfig names one, and is named without its password if it fails', async (t) => {
    const { url } = await startServer(t, nothing);
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '');
      httpRequest(request.url ?? '', { method: request.method, headers: request.headers }, (answer) =>
        answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)),
      ).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    t.after(() => proxy.close());
    const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await connectTo(t, kubeconfigFor(url, {}, { 'proxy-url': `http://${address}` }));
    assert.deepEqual(asked, [`${url}/version`]);
    const message = await failureOf(
      connectTo(t, kubeconfigFor(url, {}, { 'proxy-url': 'http://me:hunter22@127.0.0.1:1' })),
    );
    assert.match(message, /through the proxy http:\/\/127\.0\.0\.1:1: the connection was refused/);
  });
});
