import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { PREFLIGHT_CODES, type Warning } from '../../src/preflight/warning.ts';
import type { Report } from '../../src/report/report.ts';
import { STALL_CODES } from '../../src/stall/finding.ts';
import { reportOf } from './reports.ts';

const schema = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../docs/report.schema.json'), 'utf8')) as {
  $defs: { code: { enum: string[] }; preflightCode: { enum: string[] } };
};
const validate = new Ajv({ allErrors: true }).compile(schema);

function assertValid(report: Report): void {
  const plain: unknown = JSON.parse(JSON.stringify(report));
  assert.ok(validate(plain), JSON.stringify(validate.errors, null, 2));
}

test('the published schema knows every code', () => {
  assert.deepEqual(schema.$defs.code.enum, [...STALL_CODES]);
  assert.deepEqual(schema.$defs.preflightCode.enum, [...PREFLIGHT_CODES]);
});

test('reports of stalled, succeeded and rejected runs follow the published schema', () => {
  for (const report of [reportOf('stalled'), reportOf('succeeded'), reportOf('rejected')]) assertValid(report);
});

test('warnings follow the published schema, with a code of their own or of a stall', () => {
  const warning: Warning = { code: 'ConfigMissing', message: 'm', position: null, object: 'Deployment/web' };
  const position = { file: 'web.yaml', line: 3, column: 1 };
  assertValid({ ...reportOf('succeeded'), warnings: [warning, { ...warning, code: 'ReplicasContested', position }] });
  assert.equal(validate({ ...reportOf('succeeded'), warnings: [{ ...warning, code: 'Nonsense' }] }), false);
});

test('a field that the schema does not know is refused by it', () => {
  assert.equal(validate({ ...reportOf('succeeded'), extra: 1 }), false);
});
