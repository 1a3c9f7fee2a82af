import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import type { StallCode } from '../../src/stall/finding.ts';
import type { Judgement } from '../../src/verdict.ts';
import {
  type Answers,
  deployment,
  ended,
  event,
  type Moment,
  pod,
  replicaSet,
  running,
  targetOf,
  tell,
  waiting,
} from '../situation.ts';

const web = deployment();
const set = replicaSet(web);

/** The code of the decided cause, or of the best unripe finding in brackets. */
function outcome(judgement: Judgement): string {
  const standing = judgement.standings[0];
  const decision = standing?.decision;
  if (decision !== null && decision !== undefined) return 'cause' in decision ? decision.cause.code : decision.verdict;
  const best = standing?.findings[0];
  return best === undefined ? '()' : `(${best.code})`;
}

function judged(moments: readonly Moment[], answers: Answers = {}, patience: number | 'deadline' = 1): string {
  const first: Moment = { seconds: 0, objects: [web, set] };
  return outcome(tell({ targets: [targetOf(web)], moments: [first, ...moments], answers, terms: { patience } }));
}

function pulls(text: string, times: readonly number[], image = 'registry.example/app:v1'): readonly Moment[] {
  const message = `Failed to pull image "${image}": ${text}`;
  return times.map((seconds, index) => {
    const failing = pod('web-1-a', {
      spec: { containers: [{ name: 'app', image }] },
      status: waiting('ErrImagePull', text),
    });
    return { seconds, objects: [failing, event(failing, 'Failed', message, times[0] ?? 0, index + 1)] };
  });
}

test('a missing image is named after three pulls over thirty seconds, and not before', () => {
  const text = 'failed to resolve reference "registry.example/app:v1": not found';
  assert.equal(judged(pulls(text, [1, 15])), '(ImageNotFound)');
  assert.equal(judged(pulls(text, [1, 15, 40])), 'ImageNotFound');
  assert.equal(judged(pulls(text, [1, 3, 5])), '(ImageNotFound)', 'three pulls in five seconds are no proof');
  assert.equal(judged(pulls(text, [1]), {}, 0), 'ImageNotFound', 'patience 0 takes the first sight');
  assert.equal(judged(pulls(text, [1, 15, 40, 300]), {}, 'deadline'), '(ImageNotFound)');
  assert.equal(
    judged(pulls(text, [1, 15, 40, 599, 601]), {}, 'deadline'),
    'ImageNotFound',
    'the cause is named when the deadline has passed',
  );
});

test('a registry that does not answer never ends the wait by itself', () => {
  assert.equal(
    judged(pulls('unexpected status from HEAD request: 429 Too Many Requests', [1, 15, 40, 300])),
    '(RegistryUnavailable)',
  );
  assert.equal(
    judged(pulls('dial tcp 10.0.0.9:443: connect: connection refused', [1, 15, 40, 300])),
    '(RegistryUnavailable)',
  );
});

test('an image that appears late is let be', () => {
  const text = 'manifest unknown';
  assert.equal(
    judged([...pulls(text, [1, 15]), { seconds: 30, objects: [pod('web-1-a', { status: running(true, 30) })] }]),
    '()',
  );
});

test('a pull secret that does not exist makes a refusal certain', () => {
  const withSecret = (seconds: number, count: number): Moment => {
    const text = 'pull access denied';
    const failing = pod('web-1-a', {
      spec: {
        containers: [{ name: 'app', image: 'registry.example/app:v1' }],
        imagePullSecrets: [{ name: 'regcred' }],
      },
      status: waiting('ErrImagePull', text),
    });
    return { seconds, objects: [failing, event(failing, 'Failed', `Failed to pull image "x": ${text}`, 1, count)] };
  };
  assert.equal(judged([withSecret(1, 1), withSecret(15, 2)], { exists: false }), 'ImageUnauthorized');
  assert.equal(judged([withSecret(1, 1), withSecret(15, 2)], { exists: true }), '(ImageUnauthorized)');
});

const CRASH: readonly Moment[] = [
  { seconds: 1, objects: [pod('web-1-a', { status: ended(1, 1, 0) })] },
  { seconds: 12, objects: [pod('web-1-a', { status: ended(1, 12, 1) })] },
  { seconds: 35, objects: [pod('web-1-a', { status: ended(1, 35, 2) })] },
];

test('a crash loop needs three ends over thirty seconds, five over 150 if it may wait for something', () => {
  assert.equal(judged(CRASH.slice(0, 2), { log: ['boom'] }), '(CrashLoop)');
  assert.equal(judged(CRASH, { log: ['boom'] }), 'CrashLoop');
  assert.equal(judged(CRASH, { log: ['connect ECONNREFUSED 10.0.0.7:5432'] }), '(CrashLoop)');
  const longer: readonly Moment[] = [
    ...CRASH,
    { seconds: 80, objects: [pod('web-1-a', { status: ended(1, 80, 3) })] },
    { seconds: 165, objects: [pod('web-1-a', { status: ended(1, 165, 4) })] },
  ];
  assert.equal(judged(longer, { log: ['connect ECONNREFUSED 10.0.0.7:5432'] }), 'CrashLoop');
});

test('a container that comes up at its third start is let be', () => {
  assert.equal(
    judged([...CRASH.slice(0, 2), { seconds: 35, objects: [pod('web-1-a', { status: running(true, 35, 2) })] }]),
    '()',
  );
});

test('ends that nobody saw count all the same', () => {
  const unseen = pod('web-1-a', { status: ended(3, 200, 6) });
  assert.equal(judged([{ seconds: 201, objects: [unseen] }], { log: ['boom'] }), 'CrashLoop');
});

const TABLE: readonly {
  readonly name: string;
  readonly code: StallCode;
  readonly moments: readonly Moment[];
  readonly answers?: Answers;
}[] = [
  {
    name: 'killed for memory twice',
    code: 'OutOfMemory',
    moments: [
      { seconds: 1, objects: [pod('web-1-a', { status: ended(137, 1, 0, 'OOMKilled') })] },
      { seconds: 12, objects: [pod('web-1-a', { status: ended(137, 12, 1, 'OOMKilled') })] },
    ],
  },
  {
    name: 'ends with success',
    code: 'ExitedEarly',
    moments: [1, 12, 35].map((seconds, index) => ({
      seconds,
      objects: [pod('web-1-a', { status: ended(0, seconds, index, 'Completed') })],
    })),
    answers: { log: ['done'] },
  },
  {
    name: 'command that is not there',
    code: 'StartFailed',
    moments: [0, 1].map((restart) => ({
      seconds: 1 + restart,
      objects: [
        pod('web-1-a', {
          status: waiting('RunContainerError', 'exec: "/nope": stat /nope: no such file or directory', restart + 1),
        }),
      ],
    })),
  },
  {
    name: 'program for another machine, by its log',
    code: 'ImagePlatformMismatch',
    moments: [1, 2].map((seconds) => ({
      seconds,
      objects: [pod('web-1-a', { status: ended(255, seconds, seconds) })],
    })),
    answers: { log: ['exec /entry.sh: exec format error'] },
  },
  {
    name: 'ConfigMap that is not there',
    code: 'ConfigMissing',
    moments: [1, 32].map((seconds) => ({
      seconds,
      objects: [pod('web-1-a', { status: waiting('CreateContainerConfigError', 'configmap "settings" not found') })],
    })),
  },
  {
    name: 'user that may not be root',
    code: 'ContainerConfigInvalid',
    moments: [1, 20].map((seconds) => ({
      seconds,
      objects: [
        pod('web-1-a', {
          status: waiting('CreateContainerConfigError', 'container has runAsNonRoot and image will run as root'),
        }),
      ],
    })),
  },
  {
    name: 'image name that cannot be',
    code: 'ImageNameInvalid',
    moments: [
      {
        seconds: 1,
        objects: [pod('web-1-a', { status: waiting('InvalidImageName', 'repository name (App) must be lowercase') })],
      },
    ],
  },
];

for (const { name, code, moments, answers } of TABLE) {
  test(`${name}: ${code}`, () => assert.equal(judged(moments, answers), code));
}

test('a custom resource of the same apply may still create what is missing', () => {
  const missing = pod('web-1-a', { status: waiting('CreateContainerConfigError', 'secret "db" not found') });
  const external: KubernetesObject = {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: 'x' },
    spec: { target: { name: 'db' } },
  };
  const told = (applied: readonly KubernetesObject[]) =>
    outcome(
      tell({
        targets: [targetOf(web)],
        moments: [1, 60].map((seconds) => ({ seconds, objects: [web, set, missing] })),
        terms: { applied },
      }),
    );
  assert.equal(told([]), 'ConfigMissing');
  assert.equal(told([external]), '(ConfigMissing)');
});

function unplaced(message: string): KubernetesObject {
  const conditions = [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime: '2026-01-02T12:00:01Z',
    },
  ];
  const resources = { requests: { cpu: '3' } };
  return pod('web-1-a', {
    spec: { containers: [{ name: 'app', image: 'a', resources }] },
    status: { phase: 'Pending', conditions },
  });
}

function node(cpu: string): unknown {
  return { metadata: { name: 'n1', labels: {} }, spec: {}, status: { allocatable: { cpu } } };
}

test('capacity: at sight if no node is large enough, after a minute if none has room, never while one may come', () => {
  const message =
    '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found.';
  const moments = (seconds: number): readonly Moment[] => [
    { seconds: 1, objects: [unplaced(message)] },
    { seconds, objects: [] },
  ];
  const reads = (cpu: string, autoscaler = false): Answers => ({
    nodes: [node(cpu)],
    'scheduled-pods': [],
    exists: autoscaler,
  });
  assert.equal(judged(moments(2), reads('2')), 'CapacityInsufficient');
  assert.equal(judged(moments(50), reads('4')), '(CapacityInsufficient)');
  assert.equal(judged(moments(62), reads('4')), 'CapacityInsufficient');
  assert.equal(judged(moments(300), reads('4', true)), '(CapacityInsufficient)', 'an autoscaler may add a node');
});

test('a selector that no node satisfies is no question of capacity', () => {
  const message =
    "0/3 nodes are available: 1 node(s) had untolerated taint {gpu: yes}, 2 node(s) didn't match Pod's node affinity/selector.";
  assert.equal(
    judged(
      [
        { seconds: 1, objects: [unplaced(message)] },
        { seconds: 62, objects: [] },
      ],
      { nodes: [], exists: false },
    ),
    'PlacementImpossible',
  );
});

function refused(message: string): Moment {
  const conditions = [
    {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message,
      lastTransitionTime: '2026-01-02T12:00:01Z',
    },
  ];
  const failing = replicaSet(web, { replicas: 0, conditions });
  return { seconds: 4, objects: [failing, event(failing, 'FailedCreate', `Error creating: ${message}`, 1, 2)] };
}

test('pods that the API server refuses', () => {
  assert.equal(
    judged([refused('pods "x" is forbidden: violates PodSecurity "restricted:latest": privileged')]),
    'AdmissionDenied',
  );
  const full = refused(
    'pods "x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
  );
  const foreign = ['a', 'b'].map((name) => ({ metadata: { name, namespace: 'shop' }, spec: { containers: [] } }));
  assert.equal(judged([full], { 'scheduled-pods': foreign }), 'QuotaExceeded', 'others hold all of it');
  assert.equal(judged([full], { 'scheduled-pods': [] }), '(QuotaExceeded)', 'what was used is free again');
  assert.equal(
    judged([refused('pods "x" is forbidden: failed quota: q: must specify limits.cpu for: app')]),
    'QuotaExceeded',
  );
  assert.equal(
    judged([refused('Internal error occurred: failed calling webhook "v.example.com": context deadline exceeded')]),
    '(WebhookUnavailable)',
  );
  assert.equal(
    judged([refused('pods "x" is forbidden: error looking up service account shop/d: serviceaccount "d" not found')]),
    '(ServiceAccountMissing)',
  );
});

test('readiness: an answer that says no ripens, a refused connection does not', () => {
  const probing = (message: string): readonly Moment[] => {
    const probe = { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 2, failureThreshold: 3 };
    const unready = pod('web-1-a', {
      spec: { containers: [{ name: 'app', image: 'a', readinessProbe: probe }] },
      status: running(false, 2),
    });
    const failure = event(unready, 'Unhealthy', message, 60, 20);
    return [
      { seconds: 60, objects: [unready, failure] },
      { seconds: 63, objects: [] },
    ];
  };
  assert.equal(
    judged(probing('Readiness probe failed: HTTP probe failed with statuscode: 404')),
    'ReadinessNeverPasses',
  );
  assert.equal(
    judged(probing('Readiness probe failed: HTTP probe failed with statuscode: 503')),
    '(ReadinessNeverPasses)',
  );
  assert.equal(
    judged(probing('Readiness probe failed: dial tcp 10.0.0.1:8080: connect: connection refused')),
    '(ReadinessNeverPasses)',
  );
  assert.equal(
    judged(
      probing('Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "web": invalid syntax'),
    ),
    'ReadinessNeverPasses',
  );
});

test('a word that only has the name of a network error in it is no dependency', () => {
  for (const line of ["ModuleNotFoundError: No module named 'flask'", 'FileNotFoundError: /etc/app.ini'])
    assert.equal(judged(CRASH, { log: [line] }), 'CrashLoop', line);
  for (const line of ['getaddrinfo ENOTFOUND db', 'httpx.ConnectTimeout', 'SocketTimeoutException', 'i/o timeout'])
    assert.equal(judged(CRASH, { log: [line] }), '(CrashLoop)', line);
});

test('a container that ends in another way each time is given longer, and not for ever', () => {
  const codes = [1, 0, 2, 0, 1];
  const moments = [1, 12, 35, 80, 160].map((seconds, restarts) => ({
    seconds,
    objects: [pod('web-1-a', { status: ended(codes[restarts] ?? 1, seconds, restarts) })],
  }));
  assert.equal(judged(moments.slice(0, 4), { log: ['boom'] }), '(ExitedEarly)');
  assert.equal(judged(moments.slice(0, 5), { log: ['boom'] }), 'CrashLoop');
});

test('a liveness probe that kills is named before the crash loop that it causes', () => {
  const killed = (seconds: number, restart: number): Moment => {
    const livenessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
    const dying = pod('web-1-a', {
      spec: { containers: [{ name: 'app', image: 'a', livenessProbe }] },
      status: ended(137, seconds, restart),
    });
    return {
      seconds,
      objects: [
        dying,
        event(dying, 'Killing', 'Container app failed liveness probe, will be restarted', 4, restart + 1),
      ],
    };
  };
  assert.equal(judged([killed(4, 0)], { log: ['starting'] }), '(LivenessKills)');
  assert.equal(judged([killed(4, 0), killed(9, 1)], { log: ['starting'] }), 'LivenessKills');
});

test('the pods of an older revision say nothing about ours', () => {
  const old = pod('web-0-a', {
    metadata: {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-0', uid: 'set-0', controller: true }],
    },
    status: ended(1, 1, 9),
  });
  assert.equal(judged([{ seconds: 100, objects: [old, pod('web-1-a', { status: running(true, 3) })] }]), '()');
});
