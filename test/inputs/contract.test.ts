import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { PAGE, readActionFile, withTables } from '../../docs/generate-inputs.ts';
import { readInputs } from '../../src/inputs.ts';

const ROOT = path.join(import.meta.dirname, '../..');

test('action.yml declares the inputs that are read, no more and no fewer', async () => {
  const { inputs } = await readActionFile();
  const asked = new Set<string>();
  readInputs((name) => {
    asked.add(name);
    return name === 'manifests' ? 'k8s' : '';
  });
  assert.deepEqual([...asked].sort(), Object.keys(inputs).sort());
});

test('the defaults of action.yml are those of the code', async () => {
  const { inputs } = await readActionFile();
  const options = (defaults: (name: string) => string) =>
    readInputs((name) => (name === 'manifests' ? 'k8s' : defaults(name)));
  assert.deepEqual(
    // An expression is what the runner puts a value in place of.
    options((name) => inputs[name]?.default?.replace(/^\$\{\{.*\}\}$/, '') ?? ''),
    options(() => ''),
  );
});

test('everything declared is described in a line that ends as a sentence', async () => {
  const { inputs, outputs } = await readActionFile();
  for (const [name, { description }] of Object.entries({ ...inputs, ...outputs })) {
    assert.match(description, /^[A-Z`].*\.$/, name);
  }
});

test('docs/inputs.md is what action.yml says (node docs/generate-inputs.ts)', async () => {
  const page = readFileSync(PAGE, 'utf8');
  assert.equal(page, withTables(page, await readActionFile()));
});

test('the action runs on a program that is there, and has what the Marketplace asks for', async () => {
  const action = (await readActionFile()) as unknown as Readonly<Record<string, Readonly<Record<string, string>>>>;
  assert.deepEqual(action['runs'], { using: 'node24', main: 'dist/index.js', post: 'dist/index.js' });
  for (const field of ['name', 'description', 'author', 'branding']) assert.ok(action[field], field);
  assert.deepEqual(Object.keys(action['branding'] ?? {}).sort(), ['color', 'icon']);
});

/** Runs the program as a runner would, with these inputs, and gives back what it set as outputs. */
function outputsOf(t: TestContext, inputs: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollout-gate-contract-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'output');
  writeFileSync(file, '');
  const given = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value] as const);
  const run = spawnSync(process.execPath, [path.join(ROOT, 'src/main.ts')], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: file,
      GITHUB_WORKSPACE: folder,
      ...Object.fromEntries(given),
    },
  });
  assert.equal(run.status, 1, run.stdout + run.stderr);
  const blocks = readFileSync(file, 'utf8').matchAll(/^(.+?)<<(\S+)\r?\n([\s\S]*?)\r?\n\2$/gm);
  return new Map([...blocks].map(([, name, , value]) => [name ?? '', value ?? ''] as const));
}

test('a run sets the outputs that action.yml declares, even when its inputs are refused', async (t) => {
  const { outputs } = await readActionFile();
  const set = outputsOf(t, { mode: 'dploy', timeout: '600' });
  assert.deepEqual([...set.keys()].sort(), Object.keys(outputs).sort());
  assert.equal(set.get('verdict'), 'rejected');
  assert.match(set.get('reason') ?? '', /mode: "dploy" is not accepted/);
});
