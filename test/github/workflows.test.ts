import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readActionFile } from '../../docs/generate-inputs.ts';
import { actionComplaints, workflowComplaints } from './parsers.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLES = globSync('examples/*.yml', { cwd: ROOT });
const WORKFLOWS = [...EXAMPLES, ...globSync('.github/workflows/*.yml', { cwd: ROOT })];
const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: ROOT })];

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** Every step anywhere in a document. */
function stepsIn(value: unknown): readonly Step[] {
  if (Array.isArray(value)) return value.flatMap(stepsIn);
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(stepsIn);
  return 'uses' in value ? [value as Step, ...inner] : inner;
}

function isOurs({ uses }: Step): boolean {
  return /^(rollout-gate\/rollout-gate@|\.\/)/.test(uses ?? '');
}

test('the workflows are ones that GitHub takes', async () => {
  assert.equal(EXAMPLES.length, 3);
  for (const file of WORKFLOWS) assert.deepEqual(await workflowComplaints(file, read(file)), [], file);
  const wrong = await workflowComplaints('wrong.yml', read('examples/deploy.yml').replace('runs-on:', 'run-on:'));
  assert.notDeepEqual(wrong, []);
});

test('action.yml is one that GitHub takes', () => {
  const content = read('action.yml');
  assert.deepEqual(actionComplaints(content), []);
  assert.notDeepEqual(actionComplaints(content.replace('using:', 'use:')), []);
});

test('the examples and every page use inputs and outputs that there are', async () => {
  const { inputs, outputs } = await readActionFile();
  const blocks = PAGES.flatMap((page) =>
    [...read(page).matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map((match) => ({ file: page, text: match[1] ?? '' })),
  );
  const texts = [...EXAMPLES.map((file) => ({ file, text: read(file) })), ...blocks];
  const ours = texts.flatMap(({ file, text }) =>
    stepsIn(parse(text)).flatMap((step) => (isOurs(step) ? [{ file, text, step }] : [])),
  );
  assert.ok(ours.length >= 7, `${ours.length} uses`);
  for (const { file, text, step } of ours) {
    for (const name of Object.keys(step.with ?? {})) assert.ok(name in inputs, `${file}: ${name}`);
    if (step.id === undefined) continue;
    for (const [, name = ''] of text.matchAll(new RegExp(`steps\\.${step.id}\\.outputs\\.([\\w-]+)`, 'g')))
      assert.ok(name in outputs, `${file}: ${name}`);
  }
});

test('a job of the examples has the permission that each of its inputs needs, and no other', () => {
  const needed: Readonly<Record<string, string>> = {
    'check-run': 'checks',
    'commit-status': 'statuses',
    comment: 'pull-requests',
    environment: 'deployments',
  };
  for (const file of EXAMPLES) {
    const workflow = parse(read(file)) as {
      readonly permissions: Readonly<Record<string, string>>;
      readonly jobs: Readonly<Record<string, { readonly permissions?: Readonly<Record<string, string>> }>>;
    };
    for (const [name, job] of Object.entries(workflow.jobs)) {
      const asked = stepsIn(job)
        .filter(isOurs)
        .flatMap((step) => Object.keys(step.with ?? {}));
      if (asked.length === 0) continue;
      const wanted = asked.flatMap((input) => needed[input] ?? []).map((each) => [each, 'write'] as const);
      const granted = job.permissions ?? workflow.permissions;
      assert.deepEqual(granted, { contents: 'read', ...Object.fromEntries(wanted) }, `${file}: ${name}`);
    }
  }
});

test('every link between the pages leads somewhere', () => {
  for (const page of PAGES) {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
      assert.doesNotThrow(() => read(path.join(path.dirname(page), target)), `${page}: ${target}`);
  }
});
