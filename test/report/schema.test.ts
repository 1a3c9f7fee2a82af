import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import type { Report } from '../../src/report/report.ts';
import { STALL_CODES } from '../../src/stall/finding.ts';
import { reportOf } from './reports.ts';

const schema = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../docs/report.schema.json'), 'utf8')) as {
  $defs: { code: { enum: string[] } };
};
const validate = new Ajv({ allErrors: true }).compile(schema);

function assertValid(report: Report): void {
  const plain: unknown = JSON.parse(JSON.stringify(report));
  assert.ok(validate(plain), JSON.stringify(validate.errors, null, 2));
}

test('the published schema knows every code', () => {
  assert.deepEqual(schema.$defs.code.enum, [...STALL_CODES]);
});

test('reports of stalled, succeeded and rejected runs follow the published schema', () => {
  for (const report of [reportOf('stalled'), reportOf('succeeded'), reportOf('rejected')]) assertValid(report);
});

test('a field that the schema does not know is refused by it', () => {
  assert.equal(validate({ ...reportOf('succeeded'), extra: 1 }), false);
});
