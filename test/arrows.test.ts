import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const SRC = path.resolve(import.meta.dirname, '../src');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Every import between files of `src`, and of packages. */
const imports: readonly Import[] = globSync('**/*.ts', { cwd: SRC }).flatMap((file) => {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  return [...text.matchAll(/^(?:import|export) (type )?[^;]*?from '([^']+)'/gm)].map((match) => {
    const target = match[2] ?? '';
    const to = target.startsWith('.') ? path.relative(SRC, path.resolve(SRC, path.dirname(file), target)) : target;
    return { from: file.split(path.sep).join('/'), to: to.split(path.sep).join('/'), typeOnly: match[1] !== undefined };
  });
});

function room(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : '';
}

test('judgement is pure: no connection, no GitHub, no clock', () => {
  const pure = new Set(['rollout', 'stall', 'preflight', 'report']);
  const forbidden = /^(@actions\/|undici|node:(fs|http|https|net|timers|child_process|os|process))/;
  const crossing = imports.filter(
    ({ from, to, typeOnly }) =>
      pure.has(room(from)) &&
      (forbidden.test(to) || (['cluster', 'apply', 'plan', 'manifest', 'github'].includes(room(to)) && !typeOnly)),
  );
  assert.deepEqual(crossing, []);
  for (const file of globSync('{rollout,stall,preflight,report}/*.ts', { cwd: SRC })) {
    assert.doesNotMatch(
      readFileSync(path.join(SRC, file), 'utf8'),
      /Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(/,
      file,
    );
  }
});

test('the rooms that talk to a server know nothing of verdicts', () => {
  const crossing = imports.filter(
    ({ from, to }) =>
      ['cluster', 'text', 'manifest'].includes(room(from)) && (room(to) === 'stall' || to === 'verdict.ts'),
  );
  assert.deepEqual(crossing, []);
});

test('nothing imports the gate but what starts it, and nothing imports that', () => {
  assert.deepEqual(
    imports.filter(({ from, to }) => to === 'gate.ts' && from !== 'main.ts'),
    [],
  );
  assert.deepEqual(
    imports.filter(({ to }) => to === 'main.ts'),
    [],
  );
});

test('text of a cluster leaves by one room: nothing else writes to the log or to the runner', () => {
  const writers = imports.filter(({ to }) => to === '@actions/core').map(({ from }) => from);
  assert.deepEqual(writers.sort(), ['announce.ts', 'main.ts', 'post.ts', 'progress-log.ts', 'publish.ts']);
});

test('GitHub is spoken to in one room, which knows nothing of clusters and verdicts', () => {
  const leaving = imports.filter(
    ({ from, to }) => room(from) === 'github' && room(to) !== 'github' && !['@actions/github', 'p-retry'].includes(to),
  );
  assert.deepEqual(
    leaving.filter(({ to }) => !to.startsWith('node:')),
    [],
  );
});
