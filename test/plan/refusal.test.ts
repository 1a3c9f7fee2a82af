import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManifestDocument } from '../../src/manifest/document.ts';
import { parseFieldPath } from '../../src/plan/field-path.ts';
import { refusalProblems } from '../../src/plan/refusal.ts';
import { manifest, type Refusal, refused } from './server.ts';

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
  annotations:
    a/b/c: x
spec:
  replicas: three
  selector: {matchLabels: {app.kubernetes.io/name: 1}}
  template:
    spec:
      containers:
      - name: side
        image: x
      - name: app
        image: x
        imagee: x
        ports:
        - containerPort: 80
        - containerPort: 80
        env:
        - name: A
          value: "1"
        resources:
          limits:
            memory: 1GB
            cpu: 500m
`;

function document(text: string): ManifestDocument {
  const [first] = manifest(text).documents;
  assert.ok(first);
  return first;
}

/** The line and the message of each problem. */
function problems(refusal: Refusal, text = DEPLOYMENT): readonly (readonly [number | undefined, string])[] {
  const found = refusalProblems(document(text), refused(refusal).failure, null);
  return found.map(({ position, message }) => [position?.line, message] as const);
}

function typed(text: string): Refusal {
  return { code: 500, message: `failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): ${text}` };
}

function converted(text: string, kind = 'Deployment'): Refusal {
  const message = `failed to convert new object (shop/web; v1, Kind=${kind}) to proper version: unable to convert unstructured object to v1, Kind=${kind}: ${text}`;
  return { code: 500, message };
}

/** What Kubernetes 1.36.3 says of a wrong document: the line and a part of the message that it becomes. */
const CASES: readonly (readonly [string, Refusal, number, RegExp])[] = [
  [
    'an unknown field',
    typed('.spec.template.spec.containers[name="app"].imagee: field not declared in schema'),
    19,
    /imagee: the server knows no such field/,
  ],
  [
    'a text where a number belongs',
    typed('.spec.replicas: expected numeric (int or float), got string'),
    10,
    /spec\.replicas: must be a number \(not quoted\), not a text/,
  ],
  [
    'a key with dots, which the server does not quote',
    typed('.spec.selector.matchLabels.app.kubernetes.io/name: expected string, got &value.valueUnstructured{Value:1}'),
    11,
    /must be a text \(quoted\), not a number/,
  ],
  [
    'an item that stands twice: the second is meant',
    typed(
      '.spec.template.spec.containers[name="app"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
    ),
    22,
    /two entries have the same containerPort=80, protocol="TCP"/,
  ],
  [
    'a quantity that is none, of which the server tells neither name nor place',
    converted("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    28,
    /containers\[1\]\.resources\.limits\.memory: "1GB" is no quantity/,
  ],
  [
    'an invalid value',
    {
      code: 422,
      message: 'Deployment.apps "web" is invalid: …',
      details: {
        causes: [{ field: 'spec.template.spec.containers[1].image', message: 'Required value', reason: 'x' }],
      },
    },
    18,
    /spec\.template\.spec\.containers\[1\]\.image: Required value/,
  ],
  [
    'an invalid key, for which the server blames the whole mapping',
    {
      code: 422,
      message: 'Deployment.apps "web" is invalid: …',
      details: { causes: [{ field: 'metadata.annotations', message: 'Invalid value: "a/b/c": a valid label key …' }] },
    },
    8,
    /metadata\.annotations: Invalid value: "a\/b\/c"/,
  ],
  [
    'a strict decoding error',
    { code: 400, message: 'strict decoding error: unknown field "spec.template.spec.containers[1].imagee"' },
    19,
    /imagee: the server knows no such field/,
  ],
  [
    'a denial of a policy, which is about no field',
    {
      code: 422,
      message: 'deployments "web" is forbidden: ValidatingAdmissionPolicy \'p\' denied request: no',
      details: { causes: [{ message: "ValidatingAdmissionPolicy 'p' denied request: no" }] },
    },
    1,
    /denied request: no/,
  ],
  ['a refusal without a word', { code: 418, message: '' }, 1, /refused by the server/],
];

describe('a refusal stands on the line of its field', () => {
  for (const [name, refusal, line, message] of CASES) {
    test(name, () => {
      const [only, ...rest] = problems(refusal);
      assert.deepEqual(rest, []);
      assert.equal(only?.[0], line, only?.[1]);
      assert.match(only?.[1] ?? '', message);
      assert.match(only?.[1] ?? '', /^Deployment\/web was refused by the server: /);
    });
  }

  test('several become several problems', () => {
    const found = problems(
      typed(
        'errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.selector: expected list, got &{map[]}',
      ),
    );
    assert.deepEqual(
      found.map(([line]) => line),
      [10, 11],
    );
  });

  test('the value of a Secret is never repeated', () => {
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  good: aHVudGVyMg==\n  bad: hunter2!\n  number: 271828\n';
    const found = [
      ...problems(converted('error decoding from json: illegal base64 data at input byte 7', 'Secret'), secret),
      ...problems(typed('.data.number: expected string, got &value.valueUnstructured{Value:271828}'), secret),
    ];
    assert.deepEqual(
      found.map(([line]) => line),
      [6, 7, 7],
    );
    assert.ok(!/hunter|271828/.test(JSON.stringify(found)), JSON.stringify(found));
  });
});

describe('a conflict says who owns the field, how and since when', () => {
  const live = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      managedFields: [
        { manager: 'kube-controller-manager', operation: 'Update', time: '2026-01-01T00:00:00Z' },
        { manager: 'kube-controller-manager', operation: 'Update', time: '2026-01-02T00:00:00Z', subresource: 'scale' },
        { manager: 'helm', operation: 'Update', time: '2026-01-03T00:00:00Z' },
      ],
    },
  };

  test('and what to do', () => {
    const refusal = refused({
      code: 409,
      message: 'Apply failed with 2 conflicts: …',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            field: '.spec.replicas',
            message:
              'conflict with "kube-controller-manager" with subresource "scale" using apps/v1 at 2026-01-02T00:00:00Z',
          },
          {
            reason: 'FieldManagerConflict',
            field: '.spec.template.spec.containers[name="app"].image',
            message: 'conflict with "helm" using apps/v1',
          },
        ],
      },
    });
    const found = refusalProblems(document(DEPLOYMENT), refusal.failure, live);
    assert.deepEqual(
      found.map(({ position, message }) => [position?.line, message]),
      [
        [
          10,
          'Deployment/web: spec.replicas is owned by "kube-controller-manager" (Update through the subresource scale, last at 2026-01-02T00:00:00Z), which gave it another value. Take the field out of the manifest, or set force-conflicts: true to take it over',
        ],
        [
          18,
          'Deployment/web: spec.template.spec.containers[name="app"].image is owned by "helm" (Update, last at 2026-01-03T00:00:00Z), which gave it another value. Take the field out of the manifest, or set force-conflicts: true to take it over',
        ],
      ],
    );
  });
});

describe('a field path of the server', () => {
  const object = {
    metadata: { labels: { 'a.b/c': 1, a: { b: 2 } } },
    items: [{ name: 'x]y' }, { name: 'z', port: 80 }],
  };
  for (const [text, path] of [
    ['metadata.labels[a.b/c]', ['metadata', 'labels', 'a.b/c']],
    ['.metadata.labels.a.b/c', ['metadata', 'labels', 'a.b/c']],
    ['.metadata.labels.a.b', ['metadata', 'labels', 'a', 'b']],
    ['.items[name="x]y"].name', ['items', 0, 'name']],
    ['items[1].missing', ['items', 1, 'missing']],
    ['.items[port=80,protocol="TCP"]', ['items', 1]],
    ['.items[name="gone"].image', ['items']],
    ['spec.unknown.field', ['spec', 'unknown', 'field']],
    ['', []],
  ] as const) {
    test(`${text || 'of nothing'}`, () => assert.deepEqual(parseFieldPath(text, object), path));
  }
});
