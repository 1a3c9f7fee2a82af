import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Warning } from '../../src/preflight/warning.ts';
import { annotationsOf } from '../../src/report/annotations.ts';
import { rejectedReport } from '../../src/report/compose.ts';
import type { Report, ReportFinding, ReportWorkload } from '../../src/report/report.ts';
import { FACTS, reportOf } from './reports.ts';

const MOST = 10;
const LONGEST = 1500;
const FAILED = reportOf('stalled');

function model(): { readonly workload: ReportWorkload; readonly finding: ReportFinding } {
  const [workload] = FAILED.workloads;
  if (workload === undefined || workload.cause === null) throw new Error('nothing failed');
  return { workload, finding: workload.cause };
}

const { workload: WEB, finding: CRASH } = model();

type How = 'failed' | 'seen' | 'unseen' | 'superseded' | 'succeeded';

/** `seen`: not decided when the wait ended, but something was found; `unseen`: nothing was. */
function workload(name: string, how: How, summary = ''): ReportWorkload {
  const cause = { ...CRASH, position: { file: `${name}.yaml`, line: 3, column: 1 } };
  const own = { ...WEB, name, reason: `Deployment/${name} ${summary}`, cause, findings: [cause] };
  if (how === 'failed') return own;
  const verdict = how === 'seen' || how === 'unseen' ? 'undecided' : how;
  return { ...own, verdict, cause: null, findings: how === 'seen' ? own.findings : [] };
}

function warningOf(index: number): Warning {
  return { code: 'ConfigMissing', message: `expected ${index}`, position: null, object: 'Deployment/web' };
}

function problems(count: number): Report['problems'] {
  return Array.from({ length: count }, (_, index) => ({
    message: `wrong ${index}`,
    position: { file: 'web.yaml', line: index + 1, column: 1 },
  }));
}

function told(report: Report, most?: number): readonly string[] {
  return annotationsOf(report, most).map(({ level, title }) => `${level} ${title.replace('Rollout Gate: ', '')}`);
}

test('the workload that decided comes first, then a rollback that failed, then the other workloads, then what is only a warning', () => {
  const report: Report = {
    ...FAILED,
    reason: 'Deployment/decided ',
    workloads: [
      workload('gone', 'superseded'),
      workload('seen', 'seen'),
      workload('unseen', 'unseen'),
      workload('other', 'failed'),
      workload('good', 'succeeded'),
      workload('decided', 'failed'),
    ],
    warnings: [warningOf(1)],
    rollback: { outcome: 'failed', target: '', reason: 'stopped', objects: [], shortfall: [] },
  };
  assert.deepEqual(told(report), [
    'error CrashLoop in Deployment/decided',
    'error rollback failed',
    'error CrashLoop in Deployment/other',
    'warning CrashLoop in Deployment/seen',
    'warning Deployment/gone superseded',
    'warning ConfigMissing expected in Deployment/web',
  ]);
});

test('of more than ten failures ten are told, the one that decided among them and first, and no warning takes a place', () => {
  const names = Array.from({ length: 30 }, (_, index) => `w${index}`);
  const report: Report = {
    ...FAILED,
    reason: 'Deployment/w29 ',
    workloads: [workload('seen', 'seen'), ...names.map((name) => workload(name, 'failed'))],
    warnings: [warningOf(1)],
  };
  const all = ['w29', ...names.slice(0, 9)].map((name) => `error CrashLoop in Deployment/${name}`);
  assert.deepEqual(told(report), all);
  assert.equal(told(report, 100).length, 32);
  assert.deepEqual(told(report, 1), all.slice(0, 1));
});

test('a rollback that failed is told however many workloads did', () => {
  const report: Report = {
    ...FAILED,
    workloads: Array.from({ length: 30 }, (_, index) => workload(`w${index}`, 'failed')),
    rollback: { outcome: 'failed', target: '', reason: 'stopped', objects: [], shortfall: [] },
  };
  assert.equal(told(report)[1], 'error rollback failed');
});

test('whatever a run had to say: ten at most, errors first, none twice, each one line of bounded length on a line of its file', () => {
  const kinds = fc.constantFrom<How>('failed', 'seen', 'unseen', 'superseded', 'succeeded');
  const words = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n::error::x', 'x'.repeat(3000), '\r\n'));
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, words), { maxLength: 30 }), fc.nat(15), fc.nat(15), (all, wrong, warned) => {
      const report: Report = {
        ...FAILED,
        workloads: all.map(([how, summary], index) => workload(`w${index % 8}`, how, summary)),
        problems: problems(wrong),
        warnings: Array.from({ length: warned }, (_, index) => warningOf(index % 3)),
      };
      const annotations = annotationsOf(report);
      assert.ok(annotations.length <= MOST);
      assert.equal(new Set(annotations.map((each) => JSON.stringify(each))).size, annotations.length);
      const levels = annotations.map(({ level }) => level);
      assert.deepEqual(levels, [...levels].sort());
      assert.equal(levels.length, Math.min(MOST, annotationsOf(report, 1000).length));
      assert.equal(levels[0] === 'error', wrong > 0 || all.some(([how]) => how === 'failed'));
      for (const { message, file, line } of annotations) {
        assert.ok(message.length <= LONGEST && !/[\n\r]/.test(message), message);
        assert.equal(file === '', line === 0);
      }
    }),
  );
});

test('what it says is the reason, what to do, and the value to put, where the field is known', () => {
  const finding = { ...CRASH, remedy: 'Raise it.', field: 'spec.replicas', value: '3' };
  const failed = { ...workload('web', 'failed'), reason: 'It is down', cause: finding };
  const [annotation] = annotationsOf({ ...FAILED, workloads: [failed] });
  assert.equal(annotation?.message, 'It is down — Raise it. Put 3 at spec.replicas.');
  const unknown = { ...failed, cause: { ...finding, value: '' } };
  assert.equal(annotationsOf({ ...FAILED, workloads: [unknown] })[0]?.message, 'It is down — Raise it.');
});

test('a plan that the server would not take was not rejected: an apply would be refused', () => {
  const plan = rejectedReport({ ...FACTS, mode: 'plan' }, problems(2));
  assert.deepEqual(annotationsOf(plan), [
    { level: 'error', title: 'Rollout Gate: an apply would be refused', message: 'wrong 0', file: 'web.yaml', line: 1 },
    { level: 'error', title: 'Rollout Gate: an apply would be refused', message: 'wrong 1', file: 'web.yaml', line: 2 },
  ]);
  for (const mode of ['deploy', 'watch'] as const)
    assert.deepEqual(told(rejectedReport({ ...FACTS, mode }, problems(1))), ['error rejected']);
  assert.equal(annotationsOf(rejectedReport({ ...FACTS, mode: 'plan' }, problems(40))).length, MOST);
});
