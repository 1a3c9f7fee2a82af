import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotationsOf } from '../../src/report/annotations.ts';
import type { ReportRollback } from '../../src/report/rollback.ts';
import { reportOf } from './reports.ts';

function rollbackLines(outcome: ReportRollback['outcome']): readonly string[] {
  const rollback: ReportRollback = {
    outcome,
    target: '',
    reason: '::error::why <b>not</b>',
    objects: [],
    shortfall: [],
  };
  return annotationsOf({ ...reportOf('stalled'), rollback })
    .filter((each) => each.title.includes('rollback'))
    .map(({ level, title }) => `${level} ${title}`);
}

test('a rollback that needs a person has a line of its own; one that went well needs none', () => {
  assert.deepEqual(rollbackLines('failed'), ['error Rollout Gate: rollback failed']);
  assert.deepEqual(rollbackLines('refused'), ['warning Rollout Gate: rollback refused']);
  assert.deepEqual(rollbackLines('rolled-back'), []);
  assert.deepEqual(rollbackLines('none'), []);
});
