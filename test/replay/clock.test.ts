import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';

const SCRIPT = `
import { setTimeout as sleep } from 'node:timers/promises';
import { setTimeout as imported } from 'node:timers';
const began = Date.now();
const seen = { start: new Date().toISOString(), isDate: new Date() instanceof Date, parsed: Date.parse('2026-01-01T00:00:00Z'), given: new Date(5).getTime() };
const mark = performance.now();
await sleep(2_000);
await new Promise((resolve) => setTimeout(resolve, 2_000));
await new Promise((resolve) => imported(resolve, 2_000));
console.log(JSON.stringify({ ...seen, passed: Date.now() - began, measured: performance.now() - mark }));
`;

it('makes a process live faster, from the given moment on, whichever timer it uses', () => {
  const preload = path.join(import.meta.dirname, 'clock.ts');
  const began = performance.now();
  const env = { ...process.env, REPLAY_SPEED: '100', REPLAY_START: '2020-05-06T07:08:09Z' };
  const run = spawnSync(process.execPath, ['--import', preload, '--input-type=module', '-e', SCRIPT], {
    env,
    encoding: 'utf8',
  });
  assert.equal(run.stderr, '');
  const seen = JSON.parse(run.stdout) as Readonly<Record<string, unknown>>;
  assert.match(String(seen['start']), /^2020-05-06T07:0[89]:/);
  assert.equal(seen['isDate'], true);
  assert.equal(seen['parsed'], Date.UTC(2026, 0, 1));
  assert.equal(seen['given'], 5);
  assert.ok(Number(seen['passed']) >= 5_900, `passed ${seen['passed']}`);
  assert.ok(Math.abs(Number(seen['measured']) - Number(seen['passed'])) < 500);
  assert.ok(performance.now() - began < 5_000);
});
