import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Warning } from '../../src/preflight/warning.ts';
import { annotationsOf } from '../../src/report/annotations.ts';
import { plannedReport } from '../../src/report/compose.ts';
import type { Report } from '../../src/report/report.ts';
import { renderSummary } from '../../src/report/summary.ts';
import { logLine } from '../../src/text/escape.ts';
import { entry, FACTS, reportOf } from './reports.ts';

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
    timeline: Array.from({ length: 20_000 }, (_, index) => ({ ...entry(index, '0/1'), text: 'x'.repeat(100) })),
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

function warningOn(line: number, message = `expected ${line}`): Warning {
  return { code: 'ConfigMissing', message, position: { file: 'web.yaml', line, column: 1 }, object: 'Deployment/web' };
}

test('warnings are annotated on their lines, after the errors, ten in all', () => {
  const warnings = Array.from({ length: 30 }, (_, index) => warningOn(index + 1));
  const annotations = annotationsOf({ ...reportOf('rejected'), warnings });
  assert.deepEqual(
    annotations.map(({ level, line }) => `${level} ${line}`),
    ['error 7', ...Array.from({ length: 9 }, (_, index) => `warning ${index + 1}`)],
  );
  assert.equal(annotations[1]?.title, 'Rollout Gate: ConfigMissing expected in Deployment/web');
});

test('the summary shows the warnings after the cause, as text', () => {
  const summary = renderSummary({ ...reportOf('stalled'), warnings: [warningOn(3, 'ConfigMap "<b>" is missing')] });
  const [cause, warned] = ['**What to change.**', 'What could be known before the apply'].map((text) =>
    summary.indexOf(text),
  );
  assert.ok(Number(cause) > 0 && Number(cause) < Number(warned), summary);
  assert.match(summary, /`web.yaml:3` \*\*ConfigMissing\*\* Deployment\/web: ConfigMap "&lt;b&gt;" is missing/);
  assert.doesNotMatch(renderSummary(reportOf('stalled')), /before the apply/);
});

test('a plan says what to expect, and what an apply would change', () => {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'shop' };
  const changes = [{ ref, action: 'created' as const, fields: [] }];
  const report = plannedReport({ ...FACTS, mode: 'plan', warnings: [warningOn(3)] }, changes);
  assert.match(report.reason, /create 1, .*with 1 warning;/);
  const summary = renderSummary(report);
  assert.match(summary, /### What to expect/);
  assert.match(summary, /What an apply would change[\s\S]*\*\*create\*\* Deployment\/web/);
});
