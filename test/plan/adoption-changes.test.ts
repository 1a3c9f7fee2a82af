import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { removalsByAdoption } from '../../src/plan/adoption-changes.ts';

const NOTE = 'kubectl.kubernetes.io/last-applied-configuration';

function live(applied: object, owned: object, others: readonly object[] = []): KubernetesObject {
  const entry = { apiVersion: 'apps/v1', fieldsType: 'FieldsV1', operation: 'Update' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      labels: { gone: '1' },
      annotations: { [NOTE]: JSON.stringify(applied) },
      managedFields: [
        { ...entry, manager: 'kubectl-client-side-apply', fieldsV1: owned },
        ...others.map((fieldsV1) => ({ ...entry, manager: 'other', fieldsV1 })),
      ],
    },
    spec: {
      replicas: 2,
      minReadySeconds: 0,
      template: {
        spec: {
          containers: [
            { name: 'app', image: 'x', env: [{ name: 'TOKEN', value: 'hunter2' }] },
            { name: 'side', image: 'y' },
          ],
        },
      },
    },
  };
}

/** What kubectl applied, and what it owns by it: the fields that the server filled in as well. */
const APPLIED = {
  metadata: { name: 'web', annotations: {}, labels: { gone: '1' } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [
          { name: 'app', image: 'x', env: [{ name: 'TOKEN', value: 'hunter2' }] },
          { name: 'side', image: 'y' },
        ],
      },
    },
  },
};
const OWNED = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:gone': {} }, 'f:annotations': { '.': {}, [`f:${NOTE}`]: {} } },
  'f:spec': {
    'f:replicas': {},
    'f:minReadySeconds': {},
    'f:template': {
      'f:spec': {
        'f:containers': {
          'k:{"name":"app"}': {
            '.': {},
            'f:image': {},
            'f:name': {},
            'f:env': { '.': {}, 'k:{"name":"TOKEN"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
          },
          'k:{"name":"side"}': { '.': {}, 'f:image': {}, 'f:name': {} },
        },
      },
    },
  },
};
const DOCUMENT: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'app', image: 'z', env: [] }] } } },
};

test('what kubectl applied and the document leaves out goes; what the server filled in does not', () => {
  assert.deepEqual(removalsByAdoption(live(APPLIED, OWNED), DOCUMENT), [
    { path: 'metadata.labels', from: { gone: '1' }, to: undefined },
    { path: 'spec.template.spec.containers[app].env[TOKEN]', from: '(hidden)', to: undefined },
    { path: 'spec.template.spec.containers[side]', from: { name: 'side', image: 'y' }, to: undefined },
  ]);
});

test('what another manager owns as well stays', () => {
  const other = { 'f:metadata': { 'f:labels': { 'f:gone': {} } } };
  const paths = removalsByAdoption(live(APPLIED, OWNED, [other]), DOCUMENT).map((change) => change.path);
  assert.ok(!paths.includes('metadata.labels'), paths.join());
  assert.equal(paths.length, 2);
});

test('nothing goes where the document has all, where nobody applied so before, or where the note is no JSON', () => {
  const whole = { ...DOCUMENT, ...APPLIED } as KubernetesObject;
  assert.deepEqual(removalsByAdoption(live(APPLIED, OWNED), whole), []);
  assert.deepEqual(removalsByAdoption(null, DOCUMENT), []);
  const bare = live(APPLIED, OWNED);
  assert.deepEqual(removalsByAdoption({ ...bare, metadata: { ...bare.metadata, annotations: {} } }, DOCUMENT), []);
  assert.deepEqual(
    removalsByAdoption({ ...bare, metadata: { ...bare.metadata, annotations: { [NOTE]: '{"spec":' } } }, DOCUMENT),
    [],
  );
});
