import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { annotationsOf } from '../../src/report/annotations.ts';
import type { Report } from '../../src/report/report.ts';
import { renderSummary } from '../../src/report/summary.ts';
import { logLine } from '../../src/text/escape.ts';
import { reportOf } from './reports.ts';

const MIB = 1024 * 1024;

test('the first lines say the verdict, the cause and the reason', () => {
  const lines = renderSummary(reportOf('stalled')).split('\n');
  assert.equal(lines[0], '## ❌ Stalled: CrashLoop');
  assert.match(lines[2] ?? '', /Deployment\/web has 0 of 1 ready: The container "app" ended 3 times/);
});

test('a success is quiet', () => {
  const report = reportOf('succeeded');
  assert.deepEqual(annotationsOf(report), []);
  assert.ok(renderSummary(report).length < 1500);
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '![x](https://evil.example/p.png)',
  '::error::owned',
  '| a | b |',
  '\u001b[31mred',
  '@everyone',
  '```\nrm -rf /',
  '</details>',
] as const;

test('text of a container is neither markup, nor HTML, nor a link, a mention or a command', () => {
  for (const words of HOSTILE) {
    const report = reportOf('stalled', words);
    const outside = renderSummary(report)
      .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '')
      .replace(/(`+)[^`]*?\1/g, '');
    assert.ok(!/<script|!\[x\]\(|@everyone/.test(outside), outside);
    assert.equal(
      (renderSummary(report).match(/<details>/g) ?? []).length,
      (outside.match(/<\/details>/g) ?? []).length,
    );
    for (const annotation of annotationsOf(report))
      assert.ok(!annotation.message.includes('\n') && !annotation.message.includes('\u001b'));
  }
});

test('no line of the log is a workflow command, whatever it was', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('::', '##[', '\n::error::', '\r\n##[group]', ''),
      (text, command) => {
        const line = logLine(`${command}${text}${command}`);
        assert.ok(
          !line.includes('\n') && !line.includes('\r') && !/^\s*::/.test(line) && !line.includes('##['),
          JSON.stringify(line),
        );
      },
    ),
  );
});

test('the summary never exceeds the limit of GitHub, and says what it left out', () => {
  const huge: Report = {
    ...reportOf('stalled'),
    timeline: Array.from({ length: 20_000 }, (_, index) => ({
      at: index,
      workload: 'Deployment/web',
      text: 'x'.repeat(100),
    })),
  };
  const summary = renderSummary(huge);
  assert.ok(Buffer.byteLength(summary) < MIB);
  assert.match(summary, /Left out[^\n]*the timeline/);
  assert.match(summary, /^## ❌ Stalled: CrashLoop/);
});

test('annotations: ten at most, none twice', () => {
  const report = reportOf('rejected');
  const problem = (line: number) => ({ message: `wrong ${line}`, position: { file: 'web.yaml', line, column: 1 } });
  const many: Report = {
    ...report,
    problems: [...Array.from({ length: 30 }, (_, index) => problem(index)), problem(1)],
  };
  const annotations = annotationsOf(many);
  assert.equal(annotations.length, 10);
  assert.equal(new Set(annotations.map((each) => each.message)).size, 10);
});
