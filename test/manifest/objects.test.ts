import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, problemsOf, readFrom } from './workspace.ts';

test('what cannot be applied is refused with its line and a sentence that says what it is', async (t) => {
  const cases: readonly (readonly [yaml: string, line: number, says: RegExp])[] = [
    ['- a\n- b\n', 1, /here is a list where an object of Kubernetes should be/],
    ['just text\n', 1, /here is the string "just text"/],
    ['metadata:\n  name: x\nkind: ConfigMap\n', 1, /apiVersion is missing: .*patch of a kustomization/],
    ['\n\nreplicaCount: 2\nimage: {tag: x}\n', 3, /apiVersion and kind are missing: .*file of values/],
    ['op: replace\npath: /spec\n', 1, /JSON patch/],
    ['apiVersion: v1\nkind: 5\nmetadata: {name: x}\n', 2, /the number 5 is no kind/],
    ['apiVersion: 1\nkind: A\nmetadata: {name: x}\n', 1, /the number 1 is no apiVersion/],
    ['apiVersion: ../v1\nkind: A\nmetadata: {name: x}\n', 1, /"..\/v1" is no apiVersion/],
    ['apiVersion: v1\nkind: ConfigMap\n', 1, /this ConfigMap has no name: metadata.name is missing/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: x\n', 3, /has the string "x" as metadata/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 123\n', 4, /the number 123 as its name; quote it/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: on\n', 4, /the boolean true as its name; quote it/],
    [
      'apiVersion: v1\nkind: Job\nmetadata:\n  generateName: a-\n',
      4,
      /only metadata.generateName: .*cannot be followed/,
    ],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a/b\n', 4, /name "a\/b", which no object can have/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "a\\n::error::b"\n', 4, /name "a\\n::error::b", which/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ..\n', 4, /name "\.\."/],
    [configMap('a', '  namespace: 7\n'), 5, /the number 7 as its namespace/],
    [configMap('a', '  namespace: A_b\n'), 5, /"A_b" as its namespace/],
    [
      configMap('a', '  labels:\n    app: a\n    version: 1.10\n'),
      7,
      /the number 1.1 in metadata.labels for "version"/,
    ],
    ['apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n', 1, /name its directory/],
    ['resources:\n  - a.yaml\n', 1, /this is a kustomization, .*name its directory/],
  ];
  for (const [yaml, line, says] of cases) {
    const problems = await problemsOf(readFrom(t, { 'a.yaml': yaml }));
    assert.equal(problems.length, 1, yaml);
    assert.match(problems[0] ?? '', new RegExp(`^a\\.yaml:${line}: a\\.yaml: `), yaml);
    assert.match(problems[0] ?? '', says, yaml);
  }
});

test('a template is called one, wherever its braces lead', async (t) => {
  const cases: readonly (readonly [yaml: string, line: number])[] = [
    ['apiVersion: v1\nkind: {{ .Values.kind }}\n', 2],
    ['{{- if .Values.on }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{{- end }}\n', 1],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "x" . }}\n', 4],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "{{ .Release.Name }}/a"\n', 4],
  ];
  for (const [yaml, line] of cases) {
    const problems = await problemsOf(readFrom(t, { 'a.yaml': yaml }));
    assert.deepEqual(
      problems,
      [
        `a.yaml:${line}: a.yaml is a template ({{ … }}), not a manifest; render it first, e.g. with helm template, and name the result`,
      ],
      yaml,
    );
  }
});

test('braces of others inside of texts are no template, and do not hide an error elsewhere', async (t) => {
  const rule = 'data:\n  rule: |\n    {{ $labels.pod }} is down\n';
  const { documents } = await readFrom(t, { 'a.yaml': configMap('a', rule) });
  assert.deepEqual(documents[0]?.object['data'], { rule: '{{ $labels.pod }} is down\n' });
  const problems = await problemsOf(readFrom(t, { 'a.yaml': configMap('a', `${rule}other: [\n`) }));
  assert.match(problems[0] ?? '', /no valid YAML/);
});

test('the same object twice is refused with both places, whichever version of its group it names', async (t) => {
  const deployment = (version: string) =>
    `apiVersion: ${version}\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n`;
  const problems = await problemsOf(
    readFrom(t, {
      'a.yaml': `# x\n${deployment('apps/v1')}`,
      'b.yaml': `${configMap('web')}---\n${deployment('apps/v1beta1')}`,
    }),
  );
  assert.deepEqual(problems, [
    'b.yaml:6: b.yaml: Deployment/web in namespace shop stands in the manifests twice, first at a.yaml:2; remove one of the two',
  ]);
});

test('lists are taken apart, and each item keeps its lines', async (t) => {
  const { documents } = await readFrom(t, {
    'a.yaml': `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: a}
  - apiVersion: v1
    kind: SecretList
    items:
      - metadata:
          name: b
`,
    'b.yaml': `apiVersion: acme.io/v1\nkind: AllowList\nmetadata: {name: c}\nspec: {}\n`,
  });
  assert.deepEqual(
    documents.map(({ ref, source }) => [
      ref.apiVersion,
      ref.kind,
      ref.name,
      source.at([]).line,
      source.at(['metadata', 'name']).line,
    ]),
    [
      ['v1', 'ConfigMap', 'a', 4, 6],
      ['v1', 'Secret', 'b', 10, 11],
      ['acme.io/v1', 'AllowList', 'c', 1, 3],
    ],
  );
  const problems = await problemsOf(
    readFrom(t, { 'a.yaml': 'apiVersion: v1\nkind: List\nitems:\n  - a\n  - kind: X\n  - metadata: {name: x}\n' }),
  );
  assert.deepEqual(
    problems.map((problem) => problem.slice(0, 9)),
    ['a.yaml:4:', 'a.yaml:5:', 'a.yaml:6:'],
  );
  assert.match(problems[2] ?? '', /apiVersion and kind are missing/);
});

test('every field is kept as it was: unknown ones, and what generated models would drop', async (t) => {
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'a', somethingNew: { x: [1, null, ''] } },
    spec: { ingress: [{ from: [{ podSelector: {} }] }] },
    unknown: true,
  };
  const { documents } = await readFrom(t, { 'a.json': JSON.stringify(policy) });
  assert.equal(JSON.stringify(documents[0]?.object), JSON.stringify(policy));
});
