import assert from 'node:assert/strict';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Manifest } from '../../src/manifest/document.ts';
import { readManifest } from '../../src/manifest/read.ts';
import { hasKubectl } from './kubectl-reader.ts';
import { configMap, problemsOf, readFrom, workspaceWith } from './workspace.ts';

function names(manifest: Manifest): readonly string[] {
  return manifest.documents.map((document) => document.ref.name);
}

const TREE = {
  'k8s/b.yaml': configMap('b'),
  'k8s/a.yml': configMap('a'),
  'k8s/deep/er/c.json': '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}',
  'k8s/README.md': 'not: a manifest',
  'other/d.yaml.txt': configMap('d'),
};

test('files, directories and globs are read in the order of the entries, sorted within, each file once', async (t) => {
  const folder = await workspaceWith(t, TREE);
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [['k8s/b.yaml'], ['b']],
    [['other/d.yaml.txt'], ['d']],
    [['k8s'], ['a', 'b', 'c']],
    [['./k8s/'], ['a', 'b', 'c']],
    [[path.join(folder, 'k8s')], ['a', 'b', 'c']],
    [
      ['k8s/b.yaml', 'k8s', 'k8s/*.yml'],
      ['b', 'a', 'c'],
    ],
    [['k8s/**'], ['a', 'b', 'c']],
    [['k8s/{b,a}.y*ml'], ['a', 'b']],
    [['**/*.json'], ['c']],
  ];
  for (const [entries, expected] of cases) {
    const manifest = await readManifest({ manifests: entries, images: [] }, folder);
    assert.deepEqual(names(manifest), expected, entries.join());
  }
});

test('positions name the file from the workspace, or wholly if it lies outside', async (t) => {
  const folder = await workspaceWith(t, TREE);
  const inside = await readManifest({ manifests: ['./k8s/deep/../b.yaml'], images: [] }, folder);
  assert.deepEqual(inside.documents[0]?.source.at(['metadata', 'name']), { file: 'k8s/b.yaml', line: 4, column: 9 });
  const outside = await readManifest({ manifests: ['../k8s/b.yaml'], images: [] }, path.join(folder, 'other'));
  assert.equal(outside.documents[0]?.source.file, path.join(folder, 'k8s/b.yaml'));
});

test('links to files are followed', async (t) => {
  const folder = await workspaceWith(t, { 'real/a.yaml': configMap('a'), 'k8s/b.yaml': configMap('b') });
  await symlink('../real/a.yaml', path.join(folder, 'k8s/link.yaml'));
  assert.deepEqual(names(await readManifest({ manifests: ['k8s'], images: [] }, folder)), ['b', 'a']);
});

test('entries that lead nowhere are named, all at once', async (t) => {
  const folder = await workspaceWith(t, { 'empty/README.md': '', 'k8s/a.yaml': configMap('a') });
  const entries = ['nowhere.yaml', 'k8s/*.yml', 'empty', 'empty/*', 'k8s/a.yaml', 'evil\n::error::x', '/dev/null'];
  const problems = await problemsOf(readManifest({ manifests: entries, images: [] }, folder));
  assert.deepEqual(
    problems.map((problem) => problem.replaceAll(folder, 'WORKSPACE')),
    [
      'manifests: "nowhere.yaml" does not exist in WORKSPACE; was the repository checked out, and is the path relative to it?',
      'manifests: "k8s/*.yml" is a glob that matches nothing in WORKSPACE',
      'manifests: "empty" is a directory without a .yaml, .yml or .json file',
      'manifests: "empty/*" is a glob that matches no .yaml, .yml or .json file; to read or render whole directories, name each of them',
      'manifests: "evil\\n::error::x" does not exist in WORKSPACE; was the repository checked out, and is the path relative to it?',
      'manifests: "/dev/null" is neither a file nor a directory',
    ],
  );
});

test('texts that are no UTF-8 are refused, a byte order mark is not', async (t) => {
  const wide = Buffer.from(`\ufeff${configMap('a')}`, 'utf16le');
  const problems = await problemsOf(
    readFrom(t, {
      'bom.yaml': `\ufeff${configMap('bom')}`,
      'utf16le.yaml': wide,
      'utf16be.yaml': Buffer.from(wide).swap16(),
      'no-mark.yaml': wide.subarray(2),
      'latin1.yaml': Buffer.from('a: \xe9', 'latin1'),
      'nul.yaml': 'apiVersion: v1\0',
    }),
  );
  assert.deepEqual(problems, [
    'utf16le.yaml:1: utf16le.yaml is UTF-16 or UTF-32; save it as UTF-8',
    'utf16be.yaml:1: utf16be.yaml is UTF-16 or UTF-32; save it as UTF-8',
    'no-mark.yaml:1: no-mark.yaml is UTF-16 or UTF-32; save it as UTF-8',
    'latin1.yaml:1: latin1.yaml is not UTF-8; save it as UTF-8',
    'nul.yaml:1: nul.yaml holds NUL bytes: it is no text',
  ]);
});

test('a byte order mark does not shift positions', async (t) => {
  const { documents } = await readFrom(t, { 'bom.yaml': `\ufeff${configMap('bom')}` });
  assert.deepEqual(documents[0]?.source.at(['apiVersion']), { file: 'bom.yaml', line: 1, column: 13 });
});

test('nothing but empty documents is an error', async (t) => {
  assert.deepEqual(await problemsOf(readFrom(t, { 'a.yaml': '# nothing\n---\n' })), [
    'manifests: there is no object in a.yaml; every document is empty or commented out',
  ]);
});

test('the problems of all files are reported in one error', async (t) => {
  const problems = await problemsOf(
    readFrom(t, { 'a.yaml': 'a: [\n', 'b.yaml': configMap('x', 'data: {a: 1, a: 2}\n'), 'c.yaml': 'kind: X\n' }, [
      'a.yaml',
      'b.yaml',
      'c.yaml',
      'd.yaml',
    ]),
  );
  assert.equal(problems.length, 4);
});

async function withPath(t: TestContext, value: string): Promise<void> {
  const before = process.env['PATH'];
  process.env['PATH'] = value;
  t.after(() => {
    process.env['PATH'] = before;
  });
}

const KUSTOMIZATION = {
  'overlays/prod/kustomization.yaml': 'namePrefix: prod-\nresources: [map.yaml]\n',
  'overlays/prod/map.yaml': configMap('a'),
};

test('a kustomization is rendered by kubectl, its positions point to it', {
  skip: !hasKubectl && 'no kubectl',
}, async (t) => {
  const { documents } = await readFrom(t, KUSTOMIZATION, ['overlays/prod']);
  assert.deepEqual(
    documents.map((document) => document.ref.name),
    ['prod-a'],
  );
  assert.deepEqual(documents[0]?.source.at(['metadata', 'name']), {
    file: 'overlays/prod/kustomization.yaml',
    line: 1,
    column: 1,
  });
});

test('kustomize comes first, and what it says of a failure is passed on', async (t) => {
  const folder = await workspaceWith(t, KUSTOMIZATION);
  const script = `#!/bin/sh\ntest "$1" = build || exit 2\ntest -f "$2/map.yaml" || exit 3\ntest -z "$INPUT_KUBECONFIG" || exit 4\nprintf '%s' "$RENDERED"\ntest -n "$RENDERED" || { echo 'no such base' >&2; exit 1; }\n`;
  await writeFile(path.join(folder, 'kustomize'), script);
  await chmod(path.join(folder, 'kustomize'), 0o755);
  await withPath(t, `${folder}:/usr/bin:/bin`);
  t.after(() => {
    delete process.env['RENDERED'];
    delete process.env['INPUT_KUBECONFIG'];
  });
  process.env['INPUT_KUBECONFIG'] = 'secret';
  process.env['RENDERED'] = configMap('rendered');
  assert.deepEqual(names(await readManifest({ manifests: ['overlays/prod'], images: [] }, folder)), ['rendered']);
  process.env['RENDERED'] = 'kind: ConfigMap\nmetadata: {name: x}\n';
  assert.match(
    (await problemsOf(readManifest({ manifests: ['overlays/prod'], images: [] }, folder)))[0] ?? '',
    /^overlays\/prod\/kustomization.yaml:1: as rendered by kustomize: .*apiVersion is missing/,
  );
  process.env['RENDERED'] = '';
  assert.deepEqual(await problemsOf(readManifest({ manifests: ['overlays/prod'], images: [] }, folder)), [
    'overlays/prod/kustomization.yaml:1: overlays/prod/kustomization.yaml cannot be rendered by "kustomize build": no such base',
  ]);
});

test('without kustomize and kubectl a kustomization is refused', async (t) => {
  const folder = await workspaceWith(t, KUSTOMIZATION);
  await withPath(t, folder);
  assert.match(
    (await problemsOf(readManifest({ manifests: ['overlays/prod'], images: [] }, folder)))[0] ?? '',
    /neither kustomize nor kubectl is on the PATH/,
  );
});
