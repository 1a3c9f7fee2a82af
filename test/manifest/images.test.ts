import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { parseImage } from '../../src/manifest/image-reference.ts';
import type { ImageOverride } from '../../src/options.ts';
import { problemsOf, readFrom } from './workspace.ts';

const SHA = `sha256:${'0a'.repeat(32)}`;

function entry(name: string, reference: string): ImageOverride {
  return { entry: `${name}=${reference}`, name, reference };
}

const WORKLOADS = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      initContainers:
        - {name: wait, image: busybox}
      containers:
        - {name: web, image: "ghcr.io/shop/web:v1"}
        - {name: nginx, image: registry.example.com:5000/nginx}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: run, image: docker.io/library/busybox:1.36}]}}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: main, image: "ghcr.io/shop/web@${SHA}"}], ephemeralContainers: [{name: debug, image: busybox:latest}]}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: template}
template: {spec: {containers: [{name: main, image: nginx:1}]}}
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: canary}
spec: {template: {spec: {containers: [{name: main, image: index.docker.io/nginx:2}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: not-a-workload}
data: {image: busybox}
spec: {containers: [{name: x, image: busybox}]}
`;

async function changes(t: TestContext, ...images: readonly ImageOverride[]): Promise<readonly string[]> {
  const { documents, imageChanges } = await readFrom(t, { 'a.yaml': WORKLOADS }, ['a.yaml'], images);
  return imageChanges.map(({ document, path, from, to, entry: said }) => {
    assert.ok(images.some((image) => image.entry === said));
    const changed = documents.find((each) => each.ref.name === document.name)?.object;
    const now = path.reduce<unknown>((node, step) => (node as Record<string | number, unknown>)[step], changed);
    assert.equal(now, to);
    return `${document.kind} ${path.join('.')} ${from}`;
  });
}

test('an entry changes the containers of its repository, however the manifest spells it', async (t) => {
  assert.deepEqual(await changes(t, entry('busybox', 'mirror.example.com/busybox:1')), [
    'Deployment spec.template.spec.initContainers.0.image busybox',
    'CronJob spec.jobTemplate.spec.template.spec.containers.0.image docker.io/library/busybox:1.36',
    'Pod spec.ephemeralContainers.0.image busybox:latest',
  ]);
  assert.deepEqual(await changes(t, entry('ghcr.io/shop/web', `ghcr.io/shop/web@${SHA.replace('0a', '0b')}`)), [
    'Deployment spec.template.spec.containers.0.image ghcr.io/shop/web:v1',
    `Pod spec.containers.0.image ghcr.io/shop/web@${SHA}`,
  ]);
  assert.deepEqual(await changes(t, entry('registry.example.com:5000/nginx', 'nginx:3')), [
    'Deployment spec.template.spec.containers.1.image registry.example.com:5000/nginx',
  ]);
});

test('a repository comes before the name of a container', async (t) => {
  assert.deepEqual(await changes(t, entry('nginx', 'nginx:3')), [
    'PodTemplate template.spec.containers.0.image nginx:1',
    'Rollout spec.template.spec.containers.0.image index.docker.io/nginx:2',
  ]);
  assert.deepEqual(await changes(t, entry('web', 'x:1'), entry('wait', 'y:1')), [
    'Deployment spec.template.spec.containers.0.image ghcr.io/shop/web:v1',
    'Deployment spec.template.spec.initContainers.0.image busybox',
  ]);
});

test('entries are settled on what was read, not on what other entries made of it', async (t) => {
  assert.deepEqual(await changes(t, entry('busybox', 'nginx:9'), entry('nginx', 'busybox:9')), [
    'Deployment spec.template.spec.initContainers.0.image busybox',
    'CronJob spec.jobTemplate.spec.template.spec.containers.0.image docker.io/library/busybox:1.36',
    'Pod spec.ephemeralContainers.0.image busybox:latest',
    'PodTemplate template.spec.containers.0.image nginx:1',
    'Rollout spec.template.spec.containers.0.image index.docker.io/nginx:2',
  ]);
});

test('what has the image already is not called a change, and equal entries make one', async (t) => {
  assert.deepEqual(await changes(t, entry('run', 'docker.io/library/busybox:1.36')), []);
  assert.equal((await changes(t, entry('wait', 'y:1'), entry('wait', 'y:1'))).length, 1);
});

test('an entry without a match lists the images that are there', async (t) => {
  const problems = await problemsOf(changes(t, entry('busybx', 'busybox:1'), entry('wait', 'y:1')));
  assert.equal(problems.length, 1);
  assert.match(
    problems[0] ?? '',
    /^images: "busybx=busybox:1" matches neither an image's repository nor a container's name;/,
  );
  assert.match(problems[0] ?? '', /ghcr\.io\/shop\/web:v1 \(container web of Deployment\/web\)/);
});

test('entries that disagree about a container are refused with its line', async (t) => {
  const problems = await problemsOf(changes(t, entry('wait', 'y:1'), entry('busybox', 'z:1')));
  assert.equal(problems.length, 1);
  assert.match(
    problems[0] ?? '',
    /^a\.yaml:9: images: the entries "wait=y:1" and "busybox=z:1" both set the image of container wait/,
  );
});

test('a change leaves alone what an anchor shares, and everything else', async (t) => {
  const yaml = `
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {z: "1", a: "2"}}
spec:
  containers:
    - &base {name: one, image: app:v1, env: [{name: A}]}
    - {<<: *base, name: two}
  other: [*base]
`;
  const { documents } = await readFrom(t, { 'a.yaml': yaml }, ['a.yaml'], [entry('two', 'app:v2')]);
  assert.equal(
    JSON.stringify(documents[0]?.object),
    '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"z":"1","a":"2"}},"spec":{"containers":[' +
      '{"name":"one","image":"app:v1","env":[{"name":"A"}]},{"name":"two","image":"app:v2","env":[{"name":"A"}]}],' +
      '"other":[{"name":"one","image":"app:v1","env":[{"name":"A"}]}]}}',
  );
});

test('references are taken apart as Docker does', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['nginx', 'docker.io/library/nginx', ''],
    ['nginx:1.29', 'docker.io/library/nginx', ':1.29'],
    ['library/nginx', 'docker.io/library/nginx', ''],
    ['docker.io/nginx', 'docker.io/library/nginx', ''],
    ['index.docker.io/library/nginx:1', 'docker.io/library/nginx', ':1'],
    ['shop/api', 'docker.io/shop/api', ''],
    ['localhost/api', 'localhost/api', ''],
    ['localhost:5000/api:v1', 'localhost:5000/api', ':v1'],
    ['registry:5000/api', 'registry:5000/api', ''],
    ['GHCR.io/shop/api', 'ghcr.io/shop/api', ''],
    ['ghcr.io/a/b/c__d.e-f:V_1', 'ghcr.io/a/b/c__d.e-f', ':V_1'],
    [`ghcr.io/a/b:v1@${SHA}`, 'ghcr.io/a/b', `:v1@${SHA}`],
    ['[::1]:5000/api', '[::1]:5000/api', ''],
  ];
  for (const [image, repository, suffix] of cases) {
    const parsed = parseImage(image);
    assert.deepEqual([parsed?.repository, parsed?.suffix], [repository, suffix], image);
  }
  for (const image of [
    '',
    ':v1',
    'Nginx',
    'a/B',
    'nginx:',
    'nginx:-1',
    'nginx@sha256:abc',
    'a b',
    'a\nb',
    'http://a/b',
    '/a',
    'a//b',
    `${'a'.repeat(256)}`,
    `a:${'v'.repeat(129)}`,
  ]) {
    assert.equal(parseImage(image), null, image);
  }
});

test('no text takes long to be told from a reference', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '-', '_', '.', '/', ':', '@', '0'), { maxLength: 3000, minLength: 500 }),
      (all) => {
        const began = performance.now();
        parseImage(all.join(''));
        parseImage('a'.repeat(all.length) + all.join(''));
        parseImage(`${'a-'.repeat(all.length)}!`);
        assert.ok(performance.now() - began < 500);
      },
    ),
    { numRuns: 50 },
  );
});
