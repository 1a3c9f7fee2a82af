import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FieldPath } from '../../src/kubernetes.ts';
import { parseYaml } from '../../src/manifest/yaml.ts';
import { type Choose, type Json, printYaml } from './print-yaml.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.stringMatching(/^[a-z]{4,8}$/),
  fc.constantFrom('yes', '0644', '12:30', '', ' ', '~', '<<', 'a: b', '# x', 'two\nlines', '{{ x }}', '---', 'a\n\nb'),
);
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    number.map((each) => (each === 0 ? 0 : each)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}));
const object = fc.dictionary(text, json, { minKeys: 1, maxKeys: 5 });
const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 }).map((numbers): Choose => {
  let next = 0;
  return (ways) => (numbers[next++ % numbers.length] ?? 0) % ways;
});

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce((node, step) => (node as Record<string | number, unknown>)[step], value);
}

/** Without prototypes, which differ between ways to make an object. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

test('what is printed as YAML, in whatever style, is read back equal, and each value has the line it was printed on', () => {
  fc.assert(
    fc.property(object, choices, (value, choose) => {
      const { text: yaml, lines } = printYaml(value, choose);
      const { documents, problems } = parseYaml({ file: 'a.yaml', text: yaml });
      assert.deepEqual(problems, [], yaml);
      assert.deepEqual(plain(documents[0]?.value), plain(value), yaml);
      for (const [path, line] of lines) {
        assert.notEqual(valueAt(value, path), undefined);
        assert.equal(documents[0]?.source.at(path).line, line, `${path.join('.')} in\n${yaml}`);
      }
    }),
    { numRuns: 300 },
  );
});

test('JSON, compact or indented by spaces or tabs, one value or many, is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '  ', '\t'), (all, indent) => {
      const { documents, problems } = parseYaml({
        file: 'a.json',
        text: all.map((value) => JSON.stringify(value, null, indent)).join(indent === '' ? '' : '\n'),
      });
      assert.deepEqual(problems, []);
      assert.deepEqual(plain(documents.map((document) => document.value)), plain(all));
    }),
    { numRuns: 200 },
  );
});

test('no text at all makes the reader throw, and every problem has a line of the file', () => {
  const pieces = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '- ',
    '{',
    '}',
    '[',
    ']',
    '&a ',
    '*a',
    '"',
    "'",
    '|',
    '>',
    '#',
    '---\n',
    '<<: ',
    '? ',
    '!!int ',
    '\t',
    '...',
    '%',
    '\r',
    ',',
    '{{',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(pieces).map((all) => all.join('')),
      ),
      (yaml) => {
        const { documents, problems } = parseYaml({ file: 'a.yaml', text: yaml });
        const count = yaml.split('\n').length;
        for (const { position } of problems)
          assert.ok(position !== null && position.line >= 1 && position.line <= count);
        for (const { source } of documents) assert.ok(source.at(['a', 0]).line <= count);
      },
    ),
    { numRuns: 1000 },
  );
});
