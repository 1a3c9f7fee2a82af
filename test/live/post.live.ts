import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { app, documents, gate, inNamespace, kubectl, REGISTRY, type RunningGate, skip, startGate } from './cluster.ts';

const BACK = { 'stable-for': '2s', 'on-stall': 'rollback' } as const;

function deploy(namespace: string, mode: string, tag: string): string {
  const metadata = { name: 'settings', namespace };
  const settings = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { MODE: mode } });
  return documents(settings, app(namespace, { container: { image: `${REGISTRY}/${tag}` } }));
}

/** Starts a run as the runner would, with a file for its state, and kills it where the log says so. */
async function killed(manifest: string, at: RegExp): Promise<Readonly<Record<string, string>>> {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'rollout-gate-')), 'state');
  await writeFile(file, '');
  const running: RunningGate = await startGate(manifest, BACK, { GITHUB_STATE: file });
  await running.logged(at);
  running.kill('SIGKILL');
  await running.result.catch(() => undefined);
  const state = [...(await readFile(file, 'utf8')).matchAll(/^([^\n<]+)<<(\S+)\n([\s\S]*?)\n?\2$/gm)];
  return Object.fromEntries(state.map((match) => [`STATE_${match[1]}`, match[3] ?? '']));
}

describe('after the job', { skip, concurrency: 2 }, () => {
  test('a rollback that was killed in the middle is finished, and told', () =>
    inNamespace('post', async (namespace) => {
      const good = deploy(namespace, 'good', 'app:v1');
      assert.equal((await gate(good, BACK)).code, 0);
      const bad = deploy(namespace, 'bad', 'App:Nope');
      const state = await killed(bad, /rollback: restore ConfigMap\/settings/);
      assert.ok(state['STATE_folder'] !== undefined && state['STATE_finished'] === undefined, JSON.stringify(state));
      const after = await (await startGate(bad, BACK, state)).result;
      assert.match(after.summary, /ended in the middle of its rollback/);
      assert.match(after.summary, /InvalidImageName/);
      assert.match(await kubectl(['get', 'deployment/web', '-n', namespace, '-o', 'yaml']), /app:v1/);
      const plan = await gate(good, { mode: 'plan' });
      assert.ok(
        plan.report.changes.every((change) => change.action === 'unchanged'),
        plan.log,
      );
    }));

  test('a run that was killed before it had a verdict says so, and leaves the rollout alone', () =>
    inNamespace('post-early', async (namespace) => {
      const bad = deploy(namespace, 'bad', 'App:Nope');
      const state = await killed(bad, /created Deployment\/web/);
      const after = await (await startGate(bad, BACK, state)).result;
      assert.match(after.summary, /cancelled/i);
      assert.equal(after.report.verdict, 'cancelled');
      assert.match(await kubectl(['get', 'deployment/web', '-n', namespace, '-o', 'yaml']), /App:Nope/);
    }));

  test('a run that came to its end leaves nothing to do', () =>
    inNamespace('post-done', async (namespace) => {
      const state = { STATE_folder: '/nowhere', STATE_finished: 'true' };
      const after = await startGate(deploy(namespace, 'good', 'app:v1'), BACK, state);
      await assert.rejects(after.result, /left no report/);
      assert.equal(await kubectl(['get', 'deployment/web', '-n', namespace, '--ignore-not-found']), '');
    }));
});
