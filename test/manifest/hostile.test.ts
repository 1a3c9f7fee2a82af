import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYaml } from '../../src/manifest/yaml.ts';
import { configMap, problemsOf, readFrom } from './workspace.ts';

/** Ten levels of ten aliases each: 10^10 values in a few lines. */
function bomb(level: (anchor: string) => string): string {
  const lines = ['a0: &a0 {x: y}'];
  for (let index = 1; index <= 10; index++) lines.push(`a${index}: &a${index} ${level(`*a${index - 1}`)}`);
  return configMap('bomb', lines.join('\n'));
}

test('aliases that unfold to gigabytes are refused, in lists, mappings and merges', () => {
  const ten = (item: (index: number) => string) => Array.from({ length: 10 }, (_, index) => item(index)).join(', ');
  const bombs = [
    bomb((alias) => `[${ten(() => alias)}]`),
    bomb((alias) => `{${ten((index) => `k${index}: ${alias}`)}}`),
    bomb((alias) => `{<<: {${ten((index) => `k${index}: ${alias}`)}}}`),
    bomb((alias) => `[${ten(() => `{<<: {q: ${alias}}}`)}]`),
  ];
  for (const text of bombs) {
    const { documents, problems } = parseYaml({ file: 'a.yaml', text });
    assert.equal(documents.length, 0);
    assert.match(problems[0]?.message ?? '', /aliases of this document unfold to more than 1000000 values/);
  }
});

test('many honest aliases are fine', () => {
  const text = configMap('a', `base: &b {x: 1, y: [1, 2]}\nall:\n${'  - *b\n'.repeat(20_000)}`);
  const { documents, problems } = parseYaml({ file: 'a.yaml', text });
  assert.deepEqual(problems, []);
  assert.equal((documents[0]?.value as { all?: readonly unknown[] } | undefined)?.all?.length, 20_000);
});

test('endless nesting is refused, not a crash', () => {
  for (const text of [
    '['.repeat(100_000),
    '{a: '.repeat(100_000),
    `${'- '.repeat(50_000)}a`,
    '{"a":'.repeat(100_000) + '}'.repeat(100_000),
  ]) {
    const { documents, problems } = parseYaml({ file: 'a.yaml', text });
    assert.deepEqual([documents.length, problems.length], [0, 1], text.slice(0, 10));
    assert.match(problems[0]?.message ?? '', /nested more than 1000 levels deep/);
  }
});

test('many keys, many documents and long lines take time in proportion', () => {
  const texts = [
    configMap('a', `data:\n${Array.from({ length: 50_000 }, (_, index) => `  key-${index}: v\n`).join('')}`),
    '---\n'.repeat(200_000),
    configMap('a', `data: {a: "${'x\\n'.repeat(500_000)}"}\n`),
    configMap('a', `data:\n  a: ${'word '.repeat(200_000)}\n`),
    `{}${' '.repeat(500_000)}{}`,
  ];
  for (const text of texts) {
    const began = performance.now();
    assert.deepEqual(parseYaml({ file: 'a.yaml', text }).problems, []);
    assert.ok(performance.now() - began < 5000, `${text.slice(0, 60)} took too long`);
  }
});

test('2,000 documents are read, positions included', () => {
  const container = (index: number) =>
    `        - name: c${index}\n          image: "registry.local/app:v1"\n          env:\n            - name: A\n              value: some value\n`;
  const containers = Array.from({ length: 4 }, (_, index) => container(index)).join('');
  const deployment = (index: number) =>
    `---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-${index}\nspec:\n  template:\n    spec:\n      containers:\n${containers}`;
  const text = Array.from({ length: 2000 }, (_, index) => deployment(index)).join('');
  const { documents, problems } = parseYaml({ file: 'a.yaml', text });
  const linesEach = deployment(0).split('\n').length - 1;
  for (const [index, { source }] of documents.entries()) {
    const { line } = source.at(['spec', 'template', 'spec', 'containers', 3, 'image']);
    assert.equal(line, linesEach * (index + 1) - 3);
  }
  assert.deepEqual([documents.length, problems], [2000, []]);
});

test('names, keys and files cannot bring a line of their own into a message', async (t) => {
  const evil = '"a\\n::add-mask::b"';
  const problems = await problemsOf(
    readFrom(t, {
      'name.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${evil}}\n`,
      'kind.yaml': `apiVersion: v1\nkind: ${evil}\nmetadata: {name: a}\n`,
      'version.yaml': `apiVersion: ${evil}\nkind: ConfigMap\nmetadata: {name: a}\n`,
      'namespace.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ${evil}}\n`,
      'key.yaml': `{${evil}: 1, ${evil}: 2}`,
      'label.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {${evil}: 1}}\n`,
      'tag.yaml': 'a: !!int "x\\ny"\n',
    }),
  );
  assert.equal(problems.length, 7);
  for (const problem of problems) assert.doesNotMatch(problem, /\n/);
});

test('20 MB are refused before they are parsed', async (t) => {
  const big = Buffer.alloc(10 * 1024 * 1024, '#');
  assert.deepEqual(await problemsOf(readFrom(t, { 'a.yaml': big, 'b.yaml': big })), [
    'b.yaml:1: b.yaml brings the manifests to more than 16 MiB; deploy them in several steps',
  ]);
});
