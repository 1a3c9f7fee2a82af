import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldPath } from '../../src/kubernetes.ts';
import { parseYaml } from '../../src/manifest/yaml.ts';

function values(text: string): readonly unknown[] {
  const { documents, problems } = parseYaml({ file: 'a.yaml', text });
  assert.deepEqual(problems, []);
  return documents.map((document) => document.value);
}

test('a file is cut into its documents as kubectl cuts it, empty ones left out', () => {
  const one = { a: 1 };
  const cases: readonly (readonly [string, readonly unknown[]])[] = [
    ['', []],
    ['---\n', []],
    ['# only a comment\n---\n---\nnull\n', []],
    ['a: 1', [one]],
    ['---\na: 1\n---\n', [one]],
    ['--- # Source: chart/templates/a.yaml\na: 1\n---   \na: 1\n', [one, one]],
    ['a: 1\r\n---\r\na: 1\r\n', [one, one]],
    ['a: 1\n...\n---\na: 1\n', [one, one]],
    ['--- {a: 1}\n--- {a: 1}\n', [one, one]],
    ['a: |\n  ---\n  b\n---\na: 1\n', [{ a: '---\nb\n' }, one]],
    ['a: |\n  x\u2028---\n', [{ a: 'x\u2028---\n' }]],
    ['a: "x\n ---\n y"\n', [{ a: 'x --- y' }]],
    ['{"a": 1}', [one]],
    ['{"a": 1}\n{"a": 1}{"a": 1}\n', [one, one, one]],
    ['{"a": 1}\n---\n{"a": 1}\n', [one, one]],
    ['{a: 1}\n---\na: 1\n', [one, one]],
    ["{'}{': 1}\n", [{ '}{': 1 }]],
    ['{"a": "}{\\"\\\\"} {"a": 1}', [{ a: '}{"\\' }, one]],
    ['{\n\t"a": [\n\t\t"\\ud83d\\ude00\\/"\n\t]\n}\n', [{ a: ['😀/'] }]],
  ];
  for (const [text, expected] of cases) assert.deepEqual(values(text), expected, JSON.stringify(text));
});

test('line ends of Windows do not reach the values', () => {
  assert.deepEqual(values('a: |\r\n  one\r\n  two\r\nb: c\r\n'), [{ a: 'one\ntwo\n', b: 'c' }]);
});

test('keys keep their order', () => {
  const [value] = values('z: 1\na: 2\nm: {x: 1, b: 2}\n');
  assert.equal(JSON.stringify(value), '{"z":1,"a":2,"m":{"x":1,"b":2}}');
});

test('a broken document does not hide the others', () => {
  const { documents, problems } = parseYaml({ file: 'a.yaml', text: 'a: 1\n---\nb: [\n---\nc: 1\n---\nd: 1\nd: 2\n' });
  assert.deepEqual(
    documents.map((document) => document.value),
    [{ a: 1 }, { c: 1 }],
  );
  assert.equal(problems.length, 2);
  assert.equal(problems[1]?.position?.line, 8);
});

const ANCHORS = `
base: &base            # 2
  image: app:v1        # 3
  env:                 # 4
    - &one {name: A}   # 5
other:                 # 6
  <<: *base            # 7
  name: x              # 8
list:                  # 9
  - *one               # 10
  - *base              # 11
empty:                 # 12
yes: on                # 13
"quoted": |            # 14
  text
both:                  # 16
  image: app:v0        # 17
  <<: [*base, {z: 1}]  # 18
`;

test('every field has its line: its own, its anchor’s, or its nearest ancestor’s', () => {
  const { documents } = parseYaml({ file: 'k8s/a.yaml', text: ANCHORS });
  const source = documents[0]?.source;
  assert.ok(source !== undefined);
  const cases: readonly (readonly [FieldPath, number])[] = [
    [[], 2],
    [['base', 'image'], 3],
    [['base', 'env'], 5],
    [['base', 'env', 0, 'name'], 5],
    [['base', 'env', 7, 'name'], 5],
    [['other', 'name'], 8],
    [['other', 'image'], 3],
    [['list', 0], 10],
    [['list', 0, 'name'], 5],
    [['list', 1, 'image'], 3],
    [['empty'], 12],
    [['empty', 'more'], 12],
    [['true'], 13],
    [['quoted'], 14],
    [['both', 'image'], 3],
    [['both', 'z'], 18],
    [['absent'], 2],
  ];
  for (const [path, line] of cases) {
    assert.deepEqual([source.at(path).file, source.at(path).line], ['k8s/a.yaml', line], path.join('.'));
  }
  assert.deepEqual(source.at(['base', 'image']), { file: 'k8s/a.yaml', line: 3, column: 10 });
});

test('positions count from the start of the file, in every document and after CRLF', () => {
  const { documents } = parseYaml({ file: 'a', text: '# x\r\n---\r\na: 1\r\n---\r\n\r\nb:\r\n  - c: 2\r\n' });
  assert.deepEqual(documents[0]?.source.at(['a']), { file: 'a', line: 3, column: 4 });
  assert.deepEqual(documents[1]?.source.at(['b', 0, 'c']), { file: 'a', line: 7, column: 8 });
});

test('positions in one-line and many-line JSON', () => {
  const { documents } = parseYaml({ file: 'a.json', text: '{"a": {"b": 1}}\n{\n  "a": {\n    "b": 2\n  }\n}\n' });
  assert.deepEqual(documents[0]?.source.at(['a', 'b']), { file: 'a.json', line: 1, column: 13 });
  assert.deepEqual(documents[1]?.source.at(['a', 'b']), { file: 'a.json', line: 4, column: 10 });
});
