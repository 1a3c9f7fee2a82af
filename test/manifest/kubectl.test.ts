import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { objectsOf } from '../../src/manifest/objects.ts';
import { parseYaml } from '../../src/manifest/yaml.ts';
import { comparable, hasKubectl, readByKubectl } from './kubectl-reader.ts';

const MANIFESTS = path.join(import.meta.dirname, '../../../shared/manifests');
const absent = (!existsSync(MANIFESTS) && 'the collection of manifests is not there') || (!hasKubectl && 'no kubectl');

test('every manifest of well-known projects is read as kubectl reads it', { skip: absent }, () => {
  const files = readdirSync(MANIFESTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ya?ml|json)$/.test(file))
    .map((file) => path.join(MANIFESTS, file))
    .sort();
  const read = files.map((file) => {
    const { documents, problems } = parseYaml({ file, text: readFileSync(file, 'utf8') });
    const checked = documents.map(objectsOf);
    return {
      file,
      problems: [...problems, ...checked.flatMap((each) => each.problems)],
      objects: checked.flatMap((each) => each.documents).map((document) => document.object),
    };
  });
  const refused = read.filter((each) => each.problems.length > 0);
  for (const { file, problems } of refused) {
    assert.match(path.basename(file), /^kustomization\.yaml$|^cassandra\.yaml$/, problems[0]?.message);
  }
  const plain = read.filter((each) => each.problems.length === 0 && each.objects.length > 0);
  assert.ok(plain.length > 300);
  const ours = plain.flatMap((each) => each.objects.map((object) => ({ file: each.file, object: comparable(object) })));
  const theirs = readByKubectl(plain.map((each) => each.file)).map(comparable);
  assert.equal(ours.length, theirs.length);
  for (const [index, { file, object }] of ours.entries()) assert.deepEqual(object, theirs[index], file);
});
