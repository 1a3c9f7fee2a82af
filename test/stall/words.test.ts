import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Pod } from '../../src/kubernetes.ts';
import { formatQuantity, parseQuantity, podRequest } from '../../src/quantity.ts';
import { parseMissing } from '../../src/stall/config-missing.ts';
import { lastWords } from '../../src/stall/last-words.ts';
import { overrideOf, overrideProblems } from '../../src/stall/override.ts';
import { classifyProbeFailure } from '../../src/stall/probe-failure.ts';
import { classifyPullError, type PullFailure, registryOf } from '../../src/stall/pull-error.ts';
import { insufficientResource, parseSchedulerMessage } from '../../src/stall/scheduler-message.ts';

/** As containerd, CRI-O, Docker Hub, GHCR, ECR, GCR, ACR, Quay and Harbor put it. */
const PULLS: readonly (readonly [PullFailure, string])[] = [
  [
    'not-found',
    'rpc error: code = NotFound desc = failed to pull and unpack image "IMAGE": failed to resolve reference "IMAGE": IMAGE: not found',
  ],
  ['not-found', 'initializing source docker://IMAGE: reading manifest v1 in IMAGE: manifest unknown: manifest unknown'],
  ['not-found', 'reading manifest v1 in IMAGE: name unknown: repository not found'],
  [
    'unauthorized',
    'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
  ],
  [
    'unauthorized',
    'failed to resolve reference "IMAGE": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://ghcr.io/token?scope=x: 403 Forbidden',
  ],
  [
    'unauthorized',
    'unexpected status from HEAD request to https://1234.dkr.ecr.eu-west-1.amazonaws.com/v2/app/manifests/v1: 401 Unauthorized',
  ],
  ['unauthorized', 'no basic auth credentials'],
  [
    'unauthorized',
    'reading manifest: denied: Permission "artifactregistry.repositories.downloadArtifacts" denied on resource',
  ],
  [
    'unavailable',
    'toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
  ],
  [
    'unavailable',
    'failed to do request: Head "https://registry.example/v2/app/manifests/v1": dial tcp 10.0.0.9:443: i/o timeout',
  ],
  [
    'unavailable',
    'failed to do request: Head "https://registry.example/v2/app/manifests/v1": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  [
    'unavailable',
    'unexpected status from HEAD request to https://registry.example/v2/app/manifests/v1: 503 Service Unavailable',
  ],
  [
    'unknown-host',
    'failed to do request: Head "https://registry.exmaple/v2/app/manifests/v1": dial tcp: lookup registry.exmaple on 10.96.0.10:53: no such host',
  ],
  ['platform', 'no match for platform in manifest: not found'],
  [
    'platform',
    'choosing image instance: no image found in manifest list for architecture arm64: no matching manifest for linux/arm64/v8 in the manifest list entries',
  ],
  ['unknown', 'something else went wrong'],
];

test('what registries say is told apart', () => {
  const image = 'registry.example/app:v1';
  for (const [expected, message] of PULLS)
    assert.equal(classifyPullError(message.replaceAll('IMAGE', image), image), expected, message);
});

test('the name of an image says nothing about the failure', () => {
  for (const name of ['denied', 'not-found', 'unauthorized', 'timeout', 'x509', 'manifest-unknown']) {
    const image = `registry.example/${name}/app:404`;
    assert.equal(classifyPullError(`failed to resolve reference "${image}": something else`, image), 'unknown', name);
  }
});

test('the registry of an image', () => {
  const table = {
    nginx: 'docker.io',
    'acme/web:1': 'docker.io',
    'ghcr.io/acme/web': 'ghcr.io',
    'localhost/web': 'localhost',
    'registry:5000/web': 'registry:5000',
  };
  for (const [image, registry] of Object.entries(table)) assert.equal(registryOf(image), registry);
});

test('what readiness probes say is told apart', () => {
  const table = {
    'Readiness probe failed: HTTP probe failed with statuscode: 404': 'client-error',
    'Readiness probe failed: HTTP probe failed with statuscode: 503': 'server-error',
    'Readiness probe failed: Get "http://10.0.0.1:8080/": dial tcp 10.0.0.1:8080: connect: connection refused':
      'refused',
    'Readiness probe failed: Get "http://10.0.0.1:8080/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)':
      'timeout',
    'Readiness probe failed: Get "https://10.0.0.1:8080/": http: server gave HTTP response to HTTPS client':
      'wrong-scheme',
    'Readiness probe failed: cannot reach the database': 'exit-code',
    "Readiness probe failed: cat: can't open '/tmp/ready': No such file or directory": 'exit-code',
    'Readiness probe failed: OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/nope": stat /bin/nope: no such file or directory':
      'cannot-run',
    'Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc = failed to exec in container: exec: "/bin/nope": stat /bin/nope: no such file or directory':
      'cannot-run',
    'Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "web": invalid syntax':
      'unknown-port',
  };
  for (const [message, kind] of Object.entries(table)) assert.equal(classifyProbeFailure(message), kind, message);
});

test('what the scheduler says is taken apart', () => {
  const message = parseSchedulerMessage(
    '0/5 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 Insufficient cpu, 2 Insufficient memory. preemption: 0/5 nodes are available: 5 No preemption victims found for incoming pod.',
  );
  assert.deepEqual([message.fit, message.total, message.reasons.length], [0, 5, 3]);
  assert.equal(insufficientResource(message), 'cpu');
  assert.equal(insufficientResource(parseSchedulerMessage('0/1 nodes are available: 1 Too many pods.')), 'pods');
  assert.equal(
    insufficientResource(parseSchedulerMessage('0/1 nodes are available: 1 Insufficient nvidia.com/gpu.')),
    'nvidia.com/gpu',
  );
  assert.equal(
    insufficientResource(
      parseSchedulerMessage("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."),
    ),
    null,
  );
});

test('what is missing is read from the words of the kubelet', () => {
  assert.deepEqual(parseMissing('configmap "app-config" not found'), {
    kind: 'ConfigMap',
    name: 'app-config',
    key: null,
  });
  assert.deepEqual(parseMissing('secret "db" not found'), { kind: 'Secret', name: 'db', key: null });
  assert.deepEqual(parseMissing("couldn't find key url in ConfigMap shop/app-config"), {
    kind: 'ConfigMap',
    name: 'app-config',
    key: 'url',
  });
  assert.deepEqual(
    parseMissing('MountVolume.SetUp failed for volume "v" : references non-existent secret key: tls.crt'),
    { kind: 'Secret', name: '', key: 'tls.crt' },
  );
  assert.equal(parseMissing('container has runAsNonRoot and image will run as root'), null);
});

test('quantities', () => {
  const table = {
    '450m': 0.45,
    '2': 2,
    '1.5': 1.5,
    '64Mi': 64 * 2 ** 20,
    '1Gi': 2 ** 30,
    '1e3': 1000,
    '100k': 1e5,
    '': 0,
  };
  for (const [text, value] of Object.entries(table))
    assert.equal(text === '' ? parseQuantity(undefined) : parseQuantity(text), value);
  assert.ok(Number.isNaN(parseQuantity('many')));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9999 }), (millis) =>
      assert.equal(Math.round(parseQuantity(formatQuantity('cpu', millis / 1000)) * 1000), millis),
    ),
  );
});

test('what the scheduler reserves for a pod: apps and sidecars together, or the largest init container', () => {
  const container = (cpu: string, restartPolicy?: string) => ({
    name: cpu,
    resources: { requests: { cpu } },
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  });
  const spec = (init: readonly object[], apps: readonly object[]) =>
    ({ spec: { initContainers: init, containers: apps } }) as unknown as Pod;
  assert.equal(podRequest(spec([], [container('1'), container('500m')]), 'cpu'), 1.5);
  assert.equal(podRequest(spec([container('3')], [container('1')]), 'cpu'), 3);
  assert.equal(podRequest(spec([container('1', 'Always'), container('3')], [container('1')]), 'cpu'), 4);
  assert.equal(podRequest(spec([], [container('1')]), 'pods'), 1);
});

test('a workload may set its own terms', () => {
  const object = (annotations: Readonly<Record<string, string>>) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', annotations },
  });
  assert.deepEqual(
    overrideOf(object({ 'rollout-gate/patience': '3', 'rollout-gate/tolerate': 'CrashLoop, OutOfMemory' })),
    { patience: 3, tolerated: ['CrashLoop', 'OutOfMemory'] },
  );
  assert.deepEqual(overrideOf(object({})), { patience: null, tolerated: [] });
  assert.equal(
    overrideProblems(object({ 'rollout-gate/patience': 'much', 'rollout-gate/tolerate': 'Crash' })).length,
    2,
  );
});

test('the last words of a container are the complaint, not the stack or the goodbye after it', () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['bad flag', ['starting', 'bad flag']],
    ['httpd: bind: Address already in use', ['httpd: bind: Address already in use', 'app v1 listening']],
    [
      'Error: DB_URL is missing',
      [
        "throw new Error('DB_URL is missing')",
        '      ^',
        '',
        'Error: DB_URL is missing',
        '    at load (/app/a.js:3:1)',
        '',
        'Node.js v24.1.0',
      ],
    ],
    [
      "KeyError: 'DB_URL'",
      ['Traceback (most recent call last):', '  File "/app/a.py", line 3, in <module>', "KeyError: 'DB_URL'"],
    ],
    [
      'Caused by: java.net.ConnectException: Connection refused',
      [
        'Exception in thread "main" java.lang.IllegalStateException: no pool',
        '\tat a.B.c(B.java:7)',
        'Caused by: java.net.ConnectException: Connection refused',
        '\tat d.E.f(E.java:9)',
        '\t... 12 more',
      ],
    ],
    [
      'panic: runtime error: index out of range [3] with length 3',
      [
        'panic: runtime error: index out of range [3] with length 3',
        '',
        'goroutine 1 [running]:',
        'main.main()',
        '\t/app/main.go:9 +0x1d',
        'exit status 2',
      ],
    ],
    [
      "thread 'main' panicked at src/main.rs:4:9: the port is taken",
      [
        "thread 'main' panicked at src/main.rs:4:9:",
        'the port is taken',
        'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
      ],
    ],
    [
      '{"level":"error","msg":"cannot open /data"}',
      ['{"level":"error","msg":"cannot open /data"}', '{"level":"info","msg":"shutting down"}'],
    ],
    ['unknown flag: --nope', ['unknown flag: --nope', 'Usage of app:', '  --port int']],
    ['bye', ['checked the disk: 0 errors', 'bye']],
    ['bye', ['bye', '', '  ']],
  ];
  for (const [words, lines] of table) assert.equal(lastWords(lines), words);
  assert.equal(lastWords([]), undefined);
  assert.equal(lastWords(null), undefined);
});
