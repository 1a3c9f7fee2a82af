import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

describe('the kubeconfig', () => {
  const attempt = (kubeconfig: string, env: Readonly<Record<string, string>> = {}, context = '') =>
    connect({ kubeconfig, context, connectPolicy: { ...QUICK, budgetMs: 50 } }, env, { onSecret: () => undefined });

  it('is missing everywhere', async () => {
    assert.match(await failureOf(attempt('', { HOME: '/nonexistent' })), /No kubeconfig was found/);
  });

  it('is named by KUBECONFIG, but not there', async () => {
    assert.match(
      await failureOf(attempt('', { KUBECONFIG: '/nonexistent/a:/nonexistent/b' })),
      /KUBECONFIG names \/nonexistent\/a and \/nonexistent\/b, which do not exist/,
    );
  });

  for (const [what, text, expected] of [
    ['is prose', 'hello', /is not a kubeconfig/],
    ['is a path', '/home/runner/.kube/config', /looks like a path/],
    ['is broken YAML', 'users: [{name: x, user: {token: s3cretvalue}', /not valid YAML \(line 1/],
    ['has no contexts', 'apiVersion: v1', /no current-context.*it has none/],
    [
      'names a cluster it lacks',
      'current-context: a\ncontexts: [{name: a, context: {cluster: b, user: c}}]',
      /the cluster "b", which it does not define/,
    ],
    [
      'has no usable server',
      'contexts: [{name: a, context: {cluster: b}}]\nclusters: [{name: b, cluster: {server: "ftp://x"}}]',
      /"ftp:\/\/x" is not an http\(s\) address/,
    ],
  ] as const) {
    it(what, async () => {
      const message = await failureOf(attempt(text));
      assert.match(message, expected);
      assert.doesNotMatch(message, /s3cretvalue/);
    });
  }

  it('lacks the context that was asked for: those that exist are listed', async () => {
    assert.match(
      await failureOf(attempt(kubeconfigFor('http://127.0.0.1:1'), {}, 'prod')),
      /no context "prod": it has test/,
    );
  });

  it('is base64-encoded', async (t) => {
    const { url } = await startServer(t, nothing);
    const connection = await connectTo(t, Buffer.from(kubeconfigFor(url)).toString('base64'));
    assert.equal(connection.namespace, 'shop');
  });

  it('comes in several files, of which the first wins and missing ones are skipped', async (t) => {
    const { url, seen } = await startServer(t, nothing);
    const at = folder(t);
    writeFileSync(
      path.join(at, 'a'),
      'current-context: mine\ncontexts: [{name: mine, context: {cluster: c, user: u, namespace: first}}]',
    );
    writeFileSync(
      path.join(at, 'b'),
      `current-context: other\nclusters: [{name: c, cluster: {server: "${url}"}}]\ncontexts: [{name: mine, context: {cluster: x, user: u}}]`,
    );
    writeFileSync(path.join(at, 'token'), 'from-a-file\n');
    writeFileSync(path.join(at, 'c'), 'users: [{name: u, user: {tokenFile: token}}]');
    const files = ['missing', 'a', 'b', 'c'].map((name) => path.join(at, name));
    const connection = await connectTo(t, '', {}, { KUBECONFIG: files.join(path.delimiter) });
    assert.equal(connection.namespace, 'first');
    assert.equal(seen[0]?.headers.authorization, 'Bearer from-a-file');
    assert.equal(seen[0]?.headers['user-agent'], 'rollout-gate/1.2.3');
  });

  it('tells its secrets one by one, before anything is sent', async (t) => {
    const { url } = await startServer(t, nothing);
    const secrets: string[] = [];
    const key = Buffer.from('-----BEGIN PRIVATE KEY-----\nTHEKEYLINE\n-----END PRIVATE KEY-----\n').toString('base64');
    const user = {
      token: 'the-token',
      password: 'the-password',
      username: 'u',
      'client-key-data': key,
      exec: {
        env: [{ name: 'A_SECRET', value: 'plugin-secret' }],
        args: ['--token', 'arg-token'],
        command: '/bin/false',
      },
    };
    await connectTo(t, kubeconfigFor(url, user, { 'proxy-url': 'http://me:proxy-pass@127.0.0.1:1' }), {
      onSecret: (value) => secrets.push(value),
    }).catch(() => undefined);
    for (const secret of [
      'the-token',
      'the-password',
      key,
      'THEKEYLINE',
      'plugin-secret',
      'arg-token',
      'me:proxy-pass',
      'proxy-pass',
    ])
      assert.ok(secrets.includes(secret), secret);
    assert.ok(!secrets.some((secret) => secret.includes('BEGIN')));
  });
});
