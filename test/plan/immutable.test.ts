import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldErrors } from '../../src/plan/field-errors.ts';

function said(kind: string, field: string, message: string): string {
  const object = { apiVersion: 'batch/v1', kind, metadata: { name: 'migrate' } };
  return (
    fieldErrors(
      { status: 'Failure', details: { causes: [{ reason: 'FieldValueInvalid', field, message }] } },
      object,
    )[0]?.message ?? ''
  );
}

test('a template that the server quotes back stays out of the message, and what to do is said', () => {
  const dump = `Invalid value: {"Spec":{"Containers":[{"Env":[{"Name":"DB_PASSWORD","Value":"hunter2: really"}]}],"x":"${'y'.repeat(200)}"}}: field is immutable`;
  const message = said('Job', 'spec.template', dump);
  assert.match(
    message,
    /^Invalid value: field is immutable; a Job runs once: delete it before \(kubectl delete job migrate\)/,
  );
  assert.doesNotMatch(message, /hunter2/);
});

test('a short value is shown', () => {
  assert.equal(
    said('Deployment', 'spec.replicas', 'Invalid value: -1: must be greater than or equal to 0'),
    'Invalid value: -1: must be greater than or equal to 0',
  );
});

test('a StatefulSet is made anew around its pods', () => {
  const message = said(
    'StatefulSet',
    'spec',
    "Forbidden: updates to statefulset spec for fields other than 'replicas', 'template' are forbidden",
  );
  assert.match(message, /kubectl delete statefulset migrate --cascade=orphan/);
});
