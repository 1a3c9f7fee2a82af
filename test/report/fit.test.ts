import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lexer, type Token } from 'marked';
import { fit } from '../../src/report/fit.ts';
import { folded, type Section } from '../../src/report/section.ts';
import { renderSummary } from '../../src/report/summary.ts';
import { markdown, markdownBlock } from '../../src/text/escape.ts';
import { entry, reportOf } from './reports.ts';

const FIRST = { title: 'the verdict', weight: 100, text: '## ❌ Stalled\n\nüberall' };
/** Room for the first section and a note on everything else. */
const LEAST_BYTES = 600;

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('</details>', '<details>', '```', '~~~~', '\n\n## x', '<!--', 'é'.repeat(300)),
);
const part = fc.oneof(
  words.map((text) => markdown(text)),
  words.map((text) => markdownBlock(text)),
  words.map((text) => folded('Log', markdownBlock(text))),
  words.map((text) => folded('Outer', folded('Inner', markdown(text)))),
);
const drafts = fc.array(
  fc.record({ weight: fc.integer({ min: 1, max: 99 }), parts: fc.array(part, { minLength: 0, maxLength: 4 }) }),
  { maxLength: 12 },
);
const sections = drafts.map((all): readonly Section[] => [
  FIRST,
  ...all.map(({ weight, parts }, index) => ({ title: `part ${index}.`, weight, text: parts.join('\n\n').trimEnd() })),
]);

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** Where text ends up that stands after all of this: inside of nothing if every fence and element is closed. */
function isClosed(text: string): boolean {
  const tokens: readonly Token[] = lexer(`${text}\n\n*end*\n`);
  const last = tokens.at(-1);
  const count = (tag: string) =>
    tokens.reduce((sum, token) => sum + (token.type === 'html' ? token.raw.split(tag).length - 1 : 0), 0);
  return last?.type === 'paragraph' && last.raw.trim() === '*end*' && count('<details>') === count('</details>');
}

test('cut sections never take more bytes than allowed, are closed, begin with the first, and say what is missing', () => {
  fc.assert(
    fc.property(sections, fc.integer({ min: LEAST_BYTES, max: 6000 }), (all, most) => {
      const text = fit(all, most);
      assert.ok(bytes(text) <= most, `${bytes(text)} of ${most}`);
      assert.ok(text.startsWith(FIRST.text));
      assert.ok(isClosed(text), text);
      const note =
        /^_Left out[^\n]*: (?<titles>[^\n]*)\. The report has it all\._$/m.exec(text)?.groups?.['titles'] ?? '';
      const named = all.filter(({ title }) => note.split(', ').includes(title));
      const rest = all.filter(({ text: own }) => own !== '' && !named.some((each) => each.text === own));
      for (const each of named) assert.notEqual(each.text, '', each.title);
      let from = 0;
      for (const each of rest) {
        const at = text.indexOf(each.text, from);
        assert.ok(at >= from, `neither there nor named: ${each.title}`);
        from = at + each.text.length;
      }
    }),
    { numRuns: 300 },
  );
});

test('what matters least goes first, and nothing goes that need not', () => {
  fc.assert(
    fc.property(sections, fc.integer({ min: LEAST_BYTES, max: 6000 }), (all, most) => {
      const whole = fit(all, Number.POSITIVE_INFINITY);
      const text = fit(all, most);
      assert.equal(text === whole, bytes(whole) <= most);
      const isThere = ({ title }: Section) => !/_Left out[^\n]*/.exec(text)?.[0].includes(title);
      const full = all.filter((each) => each.text !== '');
      const kept = full.filter(isThere).map(({ weight }) => weight);
      const gone = full.filter((each) => !isThere(each)).map(({ weight }) => weight);
      assert.ok(Math.max(0, ...gone) <= Math.min(...kept), `${gone.join()} < ${kept.join()}`);
    }),
  );
});

test('without a need to cut, the sections stand in their order, and empty ones leave no gap', () => {
  const section = (text: string): Section => ({ title: text, weight: 1, text });
  assert.equal(fit([section('b'), section(''), section('a'), section('c\n\n')], 100), 'b\n\na\n\nc\n');
});

test('of the same weight the longer one goes; one title is named once', () => {
  const section = (title: string, text: string): Section => ({ title, weight: 1, text });
  const all = [FIRST, section('logs', 'x'.repeat(400)), section('short', 'y'), section('logs', 'z'.repeat(400))];
  const text = fit(all, 300);
  assert.match(text, /\n\ny\n\n_Left out, because GitHub takes no more: logs\. The report has it all\._\n/);
});

test('of a thousand sections that are cut ten are named, and the first stays', () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({
    title: `logs ${index}`,
    weight: 1,
    text: 'x'.repeat(900),
  }));
  const text = fit([FIRST, ...many], 800);
  assert.ok(bytes(text) <= 800);
  assert.ok(text.startsWith(FIRST.text));
  assert.match(text, /: logs 0, logs 1, .*logs 9 and 990 more\. The report has it all\._\n$/);
});

test('a first section that is too long by itself is cut between characters, and says so', () => {
  const long = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀'), minLength: 400, maxLength: 900 });
  fc.assert(
    fc.property(long, fc.integer({ min: 200, max: 399 }), (text, most) => {
      const fitted = fit(
        [
          { ...FIRST, text },
          { title: 'more', weight: 1, text: 'more' },
        ],
        most,
      );
      const [head = '', said = ''] = fitted.split('\n\n');
      assert.ok(bytes(fitted) <= most);
      assert.ok(head.length > 0 && text.startsWith(head) && head.isWellFormed());
      assert.match(said, /^_Cut here: .*The report has it all\._$/m);
    }),
  );
});

test('a summary of a real run is closed at whatever size, and keeps its verdict', () => {
  const report = reportOf('stalled', '```\n</details><details>');
  const timeline = Array.from({ length: 60 }, (_, index) => ({ ...entry(index, '0/1'), text: `\`\`\` ${index}` }));
  const log = { pod: 'web-1', container: 'app', previous: false, lines: ['````', '<details>'], missing: '' };
  const workloads = report.workloads.map((workload) => ({ ...workload, logs: [log, log, log] }));
  const whole = bytes(renderSummary({ ...report, timeline, workloads }));
  fc.assert(
    fc.property(fc.integer({ min: LEAST_BYTES, max: whole }), (most) => {
      const summary = renderSummary({ ...report, timeline, workloads }, most);
      assert.ok(bytes(summary) <= most);
      assert.match(summary, /^## ❌ Stalled: CrashLoop\n\nDeployment\/web has 0 of 1 ready/);
      assert.equal(summary.includes('Left out'), most < whole);
      assert.ok(isClosed(summary), summary);
    }),
    { examples: [[whole], [whole - 1]] },
  );
});
