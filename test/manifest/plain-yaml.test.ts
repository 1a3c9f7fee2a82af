import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FieldPath } from '../../src/kubernetes.ts';
import { locate } from '../../src/manifest/locate.ts';
import { readPart } from '../../src/manifest/part.ts';
import { readPlainYaml } from '../../src/manifest/plain-yaml.ts';
import { parseTrees } from '../../src/manifest/tree.ts';
import { unfold } from '../../src/manifest/unfold.ts';

function pathsOf(value: unknown, path: FieldPath = []): readonly FieldPath[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** That the fast reader, if it takes the text, says what the reader of all YAML says. @returns whether it took it */
function agrees(text: string): boolean {
  const plain = readPlainYaml(text, null);
  if (plain === null) return false;
  const trees = parseTrees(text);
  assert.equal(trees.length, 1, JSON.stringify(text));
  const [tree] = trees;
  assert.ok(tree !== undefined);
  assert.equal(JSON.stringify(plain.value), JSON.stringify(unfold(tree)), JSON.stringify(text));
  const [read] = readPart(text);
  for (const path of pathsOf(plain.value)) {
    const ours = read?.locate(path) ?? -1;
    const theirs = locate(tree, path);
    assert.equal(lineOf(text, ours), lineOf(text, theirs), `${path.join('.')} in ${JSON.stringify(text)}`);
  }
  return true;
}

test('a last line break that is missing makes no difference', () => {
  for (const text of TAKEN) {
    const cut = text.replace(/\r?\n$/, '');
    assert.ok(agrees(text));
    const [tree] = parseTrees(cut);
    assert.ok(tree !== undefined);
    assert.equal(JSON.stringify(readPart(cut)[0]?.value), JSON.stringify(unfold(tree)), JSON.stringify(cut));
  }
});

/** Lines that are nearly plain, at nearly right indentations. */
const line = fc
  .tuple(
    fc.constantFrom('', '', ' ', '  ', '  ', '    ', '      ', '\t'),
    fc.constantFrom('', '', '- ', '- ', '-   ', '- - ', '-', '? '),
    fc.constantFrom(
      'a:',
      'b: ',
      'c:   ',
      '"d e": ',
      "'f': ",
      'g:h: ',
      'yes: ',
      '0x1: ',
      '',
      '',
      '<<: ',
      'a/b.c-d: ',
      '-x: ',
      'k : ',
    ),
    fc.constantFrom(
      '',
      '',
      'x',
      'two words',
      '0644',
      '"q"',
      "'it''s'",
      '"a\\n\\u0041"',
      '"open',
      '|',
      '|-',
      '|+',
      '|2',
      '>',
      '{}',
      '[]',
      '[a, "b", {c: 1}]',
      '{a: b}',
      '{"a":1}',
      '[a',
      'x # c',
      'x #',
      'x#y',
      '# c',
      'a: b',
      'http://x:80',
      'end:',
      '&a x',
      '*a',
      '!t x',
      '---',
      '...',
      '-',
      '- y',
      '%',
      'ü',
      '"tab\there"',
      'a\tb',
      ':x',
      '?y',
      '-z',
      '.inf',
      '~',
      '  ',
      'x  ',
      '{a b: c}',
      '[a,]',
      '{a}',
      '[1, 2] x',
      '"q" x',
    ),
  )
  .map((parts) => parts.join(''));

test('the fast reader takes nothing that the reader of all YAML reads differently', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 7 }), fc.constantFrom('\n', '\n', '\r\n'), (lines, end) => {
      if (agrees(lines.map((each) => each + end).join(''))) taken += 1;
    }),
    { numRuns: RUNS },
  );
  assert.ok(taken > RUNS / 50, `only ${taken} of ${RUNS} texts were plain`);
});

const RUNS = Number(process.env['PLAIN_RUNS'] ?? 3000);

test('the fast reader takes flow and JSON only as the reader of all YAML does', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ': ',
    ':',
    '"a"',
    '"b": ',
    'c',
    "'d'",
    '1',
    '-',
    '\n',
    ' ',
    'e f',
    '#',
    'null',
    '-1.5',
    '.',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), fc.constantFrom('{', 'k: [', 'k: {', '- ['), (pieces, start) => {
      agrees(`${start}${pieces.join('')}\n`);
    }),
    { numRuns: RUNS },
  );
});

const TAKEN: readonly string[] = [
  'a: b\nc:\n- d: 1\n  e: |\n    one\n\n      two\n    three\n\n- f\n# end\n',
  'a:\n  - - 1\n    - 2\n  -\n    b: c\n  - d: |-\n      x\n    e:\n',
  'a: one\n  two\n\n  three\nb: "x" # c\n"c": \'d\'\n',
  'a: |+\n  x\n\nb: [1, "two", {c: d}]\n',
  '\n# c\n{"a": {"b": [1, 2.5, true, null, "\\ud83d\\ude00"]}}\n',
  'a: b\r\nc: |\r\n  d\r\n  e\r\n',
];

test('the fast reader takes what manifests are made of', () => {
  for (const text of TAKEN) assert.ok(agrees(text), text);
});

test('no small change to a plain text makes the fast reader take what it should not', () => {
  const insert = fc.constantFrom(
    '',
    '',
    ' ',
    '  ',
    '\n',
    '\t',
    ':',
    ': ',
    '- ',
    '#',
    ' #',
    '"',
    "'",
    '|',
    '>',
    '{',
    '}',
    '[',
    ']',
    ',',
    '&a ',
    '*',
    '!',
    '%',
    '\r',
    '\\',
    'x',
    '?',
    '---\n',
    '\u2028',
    '\u0000',
    '\u0085',
    '\ufeff',
  );
  const change = fc.tuple(fc.nat(10_000), fc.nat(3), insert);
  fc.assert(
    fc.property(fc.constantFrom(...TAKEN), fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
      const changed = changes.reduce((each, [at, remove, more]) => {
        const from = at % (each.length + 1);
        return each.slice(0, from) + more + each.slice(from + remove);
      }, text);
      agrees(changed);
    }),
    { numRuns: RUNS },
  );
});
