import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { GateError } from '../../src/problem.ts';
import { connectTo, json, kubeconfigFor, refusal, startServer, withVersion } from './scripted-server.ts';

/** A credential plugin that counts its runs: the n-th gives `token-n`. */
function plugin(
  t: TestContext,
  body = 'echo "{\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"token-$n\\"$more}}"',
) {
  const at = mkdtempSync(path.join(tmpdir(), 'plugin-'));
  t.after(() => rmSync(at, { recursive: true }));
  const command = path.join(at, 'plugin.sh');
  const runs = path.join(at, 'runs');
  const script = `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> ${runs}\nn=$(wc -l < ${runs} | tr -d ' ')\n${body}\n`;
  writeFileSync(command, script);
  chmodSync(command, 0o755);
  const user = (env: Readonly<Record<string, string>> = {}) => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      provideClusterInfo: true,
      interactiveMode: 'Never',
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
    },
  });
  return { user, runs: () => readFileSync(runs, 'utf8').trim().split('\n') };
}

const echoToken = withVersion((seen, response) => json(response, 200, { token: seen.headers.authorization }));

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GateError, String(error));
  return error.message;
}

describe('a credential plugin', () => {
  it('runs once for many requests, and is told of the cluster', async (t) => {
    const { url, seen } = await startServer(t, echoToken);
    const { user, runs } = plugin(t);
    const secrets: string[] = [];
    const connection = await connectTo(t, kubeconfigFor(url, user()), { onSecret: (value) => secrets.push(value) });
    await Promise.all(Array.from({ length: 5 }, () => connection.request({ method: 'GET', path: '/x' })));
    assert.equal(runs().length, 1);
    assert.equal(JSON.parse(runs()[0] ?? '').spec.cluster.server, url);
    assert.deepEqual([...new Set(seen.map((one) => one.headers.authorization))], ['Bearer token-1']);
    assert.ok(secrets.includes('token-1'));
  });

  it('runs again, once, when the server no longer knows its token', async (t) => {
    const { url } = await startServer(
      t,
      withVersion((seen, response) => {
        if (seen.headers.authorization === 'Bearer token-1') json(response, 401, refusal(401, 'Unauthorized'));
        else json(response, 200, { token: seen.headers.authorization });
      }),
    );
    const { user, runs } = plugin(t);
    const connection = await connectTo(t, kubeconfigFor(url, user()));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => connection.request({ method: 'GET', path: '/x' })),
    );
    for (const answer of answers)
      assert.deepEqual(answer, { ok: true, status: 200, body: { token: 'Bearer token-2' } });
    assert.equal(runs().length, 2);
  });

  it('runs again before its token expires', async (t) => {
    const { url } = await startServer(t, echoToken);
    const { user, runs } = plugin(t);
    // Already over: the next request must not use it again.
    const past = new Date(Date.now() - 1_000).toISOString();
    const env = { more: `,"expirationTimestamp":"${past}"` };
    const connection = await connectTo(t, kubeconfigFor(url, user(env)));
    const answer = await connection.request({ method: 'GET', path: '/x' });
    assert.deepEqual(answer.ok && answer.body, { token: 'Bearer token-2' });
    assert.equal(runs().length, 2);
  });

  it('is not installed', async (t) => {
    const { url } = await startServer(t, echoToken);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'no-such-plugin',
      installHint: 'Install it with setup-it.',
    };
    assert.match(
      await messageOf(connectTo(t, kubeconfigFor(url, { exec }))),
      /"no-such-plugin" that the kubeconfig names is not installed on this runner\. Install it with setup-it\./,
    );
  });

  it('fails: what it wrote to its error output is told', async (t) => {
    const { url } = await startServer(t, echoToken);
    const { user } = plugin(t, 'echo "no cloud login" >&2; exit 3');
    assert.match(await messageOf(connectTo(t, kubeconfigFor(url, user()))), /failed with exit code 3: no cloud login/);
  });

  it('answers with something else, which is not shown', async (t) => {
    const { url } = await startServer(t, echoToken);
    const { user } = plugin(t, 'echo "token: very-secret"');
    const message = await messageOf(connectTo(t, kubeconfigFor(url, user())));
    assert.match(message, /answered with something that is not JSON/);
    assert.doesNotMatch(message, /very-secret/);
  });
});

describe('other credentials', () => {
  it('are sent as basic authentication, and with all that impersonation needs', async (t) => {
    const { url, seen } = await startServer(t, echoToken);
    await connectTo(
      t,
      kubeconfigFor(url, { username: 'me', password: 'pass-word', as: 'other', 'as-groups': ['one', 'two'] }),
    );
    assert.equal(seen[0]?.headers.authorization, `Basic ${Buffer.from('me:pass-word').toString('base64')}`);
    assert.equal(seen[0]?.headers['impersonate-user'], 'other');
    assert.equal(seen[0]?.headers['impersonate-group'], 'one, two');
  });

  it('that a server refuses for good are answered with its refusal, not asked for again and again', async (t) => {
    const { url, seen } = await startServer(
      t,
      withVersion((_seen, response) => json(response, 401, refusal(401, 'Unauthorized'))),
    );
    const connection = await connectTo(t, kubeconfigFor(url));
    const answer = await connection.request({ method: 'GET', path: '/x' });
    assert.equal(answer.status, 401);
    assert.equal(seen.length, 2);
  });
});
