import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { parseYaml } from '../../src/manifest/yaml.ts';
import { hasKubectl, readByKubectl } from './kubectl-reader.ts';

/** What kubectl 1.36 makes of each scalar or flow value. */
const READ: readonly (readonly [yaml: string, value: unknown])[] = [
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['~', 'null', 'Null', 'NULL', ''].map((word) => [word, null] as const),
  ...['yEs', 'nUll', '=', '.', '+', '-x', '_', '_1', '._5', '.foo', '0x', '0b2', '0o8', '0xZ', '1e', '1e+', 'e1'].map(
    (word) => [word, word] as const,
  ),
  ...['12:30:45', '1:20', '2001-12-14', '2001-12-14t21:59:43.10-05:00', '2001-12-14 21:59:43.10 -5'].map(
    (time) => [time, time] as const,
  ),
  ...['1,000', '0.0.0', '1.2.3', '1e400', '0x1p3', 'inf', 'NaN', 'Infinity', 'a#b'].map(
    (text) => [text, text] as const,
  ),
  ['0644', 420],
  ['-0644', -420],
  ['0o644', 420],
  ['0O7', 7],
  ['-0o17', -15],
  ['0_7', 7],
  ['00', 0],
  ['089', 89],
  ['0x1F', 31],
  ['0X1F', 31],
  ['0x_F', 15],
  ['+0x1F', 31],
  ['0b101', 5],
  ['-0b11', -3],
  ['1_000', 1000],
  ['1__0', 10],
  ['1_', 1],
  ['-_1', -1],
  ['+12', 12],
  ['-0', 0],
  ['-0.0', 0],
  ['9007199254740991', 9007199254740991],
  ['1.5', 1.5],
  ['1.', 1],
  ['.5', 0.5],
  ['-.5', -0.5],
  ['1e3', 1000],
  ['1E3', 1000],
  ['1.e3', 1000],
  ['1_0e3', 10000],
  ['1_000.5_5', 1000.55],
  ['1.10', 1.1],
  ['1e-7', 1e-7],
  ['123456789.123456789123', 123456789.12345679],
  ['100000000000000000000.0', 1e20],
  ['!!binary aGVsbG8=', 'hello'],
  ['!!str 123', '123'],
  ['!!str yes', 'yes'],
  ['!!str', ''],
  ['!!int "012"', 10],
  ['!!float "3.5"', 3.5],
  ['!!float 3', 3],
  ['!!bool "yes"', true],
  ['!!null ""', null],
  ['!!timestamp 2001-12-14', '2001-12-14'],
  ['!!set {a, b}', { a: null, b: null }],
  ['!foo 12', '12'],
  ['! 12', '12'],
  ['"yes"', 'yes'],
  ["'0644'", '0644'],
  ["'it''s'", "it's"],
  ['"\\x41\\u263a\\U0001F600\\e"', 'A☺😀\u001b'],
  ['"a\\\n   b"', 'ab'],
  ['|\n  text\n   more\n', 'text\n more\n'],
  ['|-\n  yes', 'yes'],
  ['>-\n  a\n  b\n\n  c\n', 'a b\nc'],
  [
    '{1: a, true: b, 1.5: c, 0644: d, 1e3: e, 1e30: f, ~x: g, 2001-01-01: h}',
    { 1: 'a', true: 'b', 1.5: 'c', 420: 'd', 1000: 'e', '1e+30': 'f', '~x': 'g', '2001-01-01': 'h' },
  ],
  ['{yes: a}', { true: 'a' }],
  ['{<<: {q: 1, r: 2}, r: 3}', { q: 1, r: 3 }],
  ['{r: 3, <<: [{r: 4, s: 5}, {s: 6, t: 7}]}', { r: 4, s: 5, t: 7 }],
  ['{<<: {a: 1}, <<: {b: 1}}', { a: 1, b: 1 }],
  ['{"<<": {q: 1}}', { '<<': { q: 1 } }],
  ['<<', '<<'],
  ['[&x {a: 1}, *x, {<<: *x, b: 2}]', [{ a: 1 }, { a: 1 }, { a: 1, b: 2 }]],
  ['{a b, c: , d}', { 'a b': null, c: null, d: null }],
  ['{__proto__: {a: 1}, constructor: b}', JSON.parse('{"__proto__": {"a": 1}, "constructor": "b"}')],
];

/** What JSON, or a float, could not hold: refused, where kubectl refuses or rounds. */
const REFUSED: readonly (readonly [yaml: string, says: RegExp])[] = [
  ['9007199254740993', /number 9007199254740993 is too large/],
  ['-9223372036854775809', /too large/],
  ['0777777777777777777777777', /too large/],
  ['.inf', /\.inf has no form in JSON/],
  ['-.INF', /no form in JSON/],
  ['.NaN', /no form in JSON/],
  ['!!binary "/w=="', /not UTF-8/],
  ['!!int 1.5', /"1.5" is no !!int/],
  ['!!null x', /"x" is no !!null/],
  ['{null: d}', /nothing cannot be a key/],
  ['{{a: b}: c}', /a mapping or a list cannot be a key/],
  ['{<<: x}', /<< takes a mapping/],
  ['{a: 1, a: 2}', /key "a" stands twice/],
  ['{1: a, "1": b}', /key "1" stands twice/],
  ['*a', /alias \*a stands for no anchor/],
  ['&a [*a]', /alias \*a stands for no anchor/],
  ['a: b', /no valid YAML/],
  ['@x', /no valid YAML/],
];

function configMap(index: number, yaml: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${index}}\nv: ${yaml}\n`;
}

function readValue(yaml: string): unknown {
  const { documents, problems } = parseYaml({ file: 'a.yaml', text: configMap(0, yaml) });
  assert.deepEqual(problems, [], yaml);
  return (documents[0]?.value as { readonly v?: unknown } | undefined)?.v;
}

test('values are read as kubectl reads them', () => {
  for (const [yaml, value] of READ) assert.deepEqual(readValue(yaml), value, yaml);
});

test('the table of values is what the installed kubectl says', { skip: !hasKubectl && 'no kubectl' }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollout-gate-scalars-'));
  const files = READ.map(([yaml], index) => {
    const file = path.join(folder, `${index}.yaml`);
    writeFileSync(file, configMap(index, yaml));
    return file;
  });
  const read = readByKubectl(files);
  for (const [index, [yaml, value]] of READ.entries()) assert.deepEqual(read[index]?.['v'], value, yaml);
});

test('what would lose something is refused, with its line', () => {
  for (const [yaml, says] of REFUSED) {
    const { documents, problems } = parseYaml({ file: 'a.yaml', text: configMap(0, yaml) });
    assert.equal(documents.length, 0, yaml);
    assert.match(problems[0]?.message ?? '', says, yaml);
    assert.deepEqual([problems[0]?.position?.file, problems[0]?.position?.line], ['a.yaml', 4], yaml);
  }
});
