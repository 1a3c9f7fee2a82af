import type { Case } from '../case.ts';
import { container, env, firstly, image, probe, STATE, script, workload } from '../objects.ts';

const SERVE = 'exec /bin/httpd -f -p 8080 -h /tmp';
const DEPENDENCY = 'echo "Error: connect ECONNREFUSED 10.0.0.7:5432 (database)"; exit 1';
const counted = (count: number, first: string, then = 'sleep 3600') =>
  workload({ containers: [script(firstly(count, first, then), STATE.mount)], ...STATE });

export const START_CASES: readonly Case[] = [
  {
    name: 'working-dir-that-cannot-be-made',
    role: 'stall',
    manifest: [workload({ container: { workingDir: '/proc/app' } })],
    expected: { verdict: 'stalled', cause: 'StartFailed', within: 30 },
  },
  {
    name: 'command-is-a-directory',
    role: 'stall',
    manifest: [workload({ container: { command: ['/etc'] } })],
    expected: { verdict: 'stalled', cause: 'StartFailed', within: 30 },
  },
  {
    name: 'command-not-found',
    role: 'stall',
    manifest: [workload({ container: { command: ['/usr/bin/nope'] } })],
    expected: { verdict: 'stalled', cause: 'StartFailed', within: 30 },
  },
  {
    name: 'command-not-found-by-shell',
    role: 'stall',
    manifest: [workload({ containers: [script('frobnicate --serve')] })],
    expected: { verdict: 'stalled', cause: 'StartFailed', within: 30 },
  },
  {
    name: 'command-not-executable-update',
    role: 'stall',
    before: [workload()],
    manifest: [workload({ container: { command: ['/etc/passwd'] } })],
    expected: { verdict: 'stalled', cause: 'StartFailed', within: 30 },
  },
  {
    name: 'post-start-fails',
    role: 'stall',
    manifest: [
      workload({
        container: {
          lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo cannot register >&2; exit 4'] } } },
        },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'PostStartHookFailed', within: 60 },
  },
  {
    name: 'post-start-passes-at-third',
    role: 'twin',
    manifest: [
      workload({
        containers: [
          container({
            lifecycle: { postStart: { exec: { command: ['sh', '-c', firstly(2, 'exit 4', 'exit 0')] } } },
            ...STATE.mount,
          }),
        ],
        ...STATE,
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
];

const IN_TURNS = 'n=$(cat /state/n 2>/dev/null || echo 0); echo $((n+1)) > /state/n';

export const CRASH_CASES: readonly Case[] = [
  {
    name: 'crash-in-another-way-each-time',
    role: 'stall',
    manifest: [
      workload({ containers: [script(`${IN_TURNS}; echo failed; exit $((n % 2 + 1))`, STATE.mount)], ...STATE }),
    ],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 200 },
  },
  {
    name: 'crash-in-another-way-and-comes-up',
    role: 'twin',
    manifest: [
      workload({
        containers: [script(`${IN_TURNS}; [ $n -ge 3 ] || exit $((n % 2 + 1)); sleep 3600`, STATE.mount)],
        ...STATE,
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'crash-with-a-network-error-in-its-name',
    role: 'stall',
    manifest: [workload({ containers: [script('echo "ModuleNotFoundError: No module named flask"; exit 1')] })],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 45 },
  },
  {
    name: 'crash-loop',
    role: 'stall',
    manifest: [workload({ containers: [script('echo migration 42 failed: no such column; exit 3')] })],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 45 },
  },
  {
    name: 'crash-loop-update',
    role: 'stall',
    before: [workload({ replicas: 2 })],
    manifest: [workload({ replicas: 2, container: { command: ['sh', '-c', 'echo bad flag; exit 2'] } })],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 45 },
  },
  {
    name: 'crash-loop-segfault',
    role: 'stall',
    manifest: [workload({ containers: [script('kill -SEGV $$')] })],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 45 },
  },
  {
    name: 'crash-loop-with-dependency',
    role: 'stall',
    manifest: [workload({ containers: [script(DEPENDENCY)] })],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 200 },
  },
  {
    name: 'crash-after-ready',
    role: 'stall',
    manifest: [workload({ container: env({ EXIT_AFTER: '4' }) })],
    expected: { verdict: 'stalled', cause: 'RestartedInSoak', within: 60 },
  },
  {
    name: 'crash-heals-at-third',
    role: 'twin',
    manifest: [counted(2, 'echo boom; exit 1')],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'crash-heals-at-fifth-with-dependency',
    role: 'twin',
    manifest: [counted(4, DEPENDENCY)],
    expected: { verdict: 'succeeded', cause: '', within: 240 },
  },
  {
    name: 'dependency-of-the-same-run-comes-up',
    role: 'twin',
    manifest: [
      workload({ name: 'database', container: env({ START_DELAY: '45' }) }),
      counted(3, 'echo giving up; exit 1'),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 150 },
  },
  {
    name: 'exits-with-success',
    role: 'stall',
    manifest: [workload({ containers: [script('echo done')] })],
    expected: { verdict: 'stalled', cause: 'ExitedEarly', within: 45 },
  },
  {
    name: 'exits-with-success-once',
    role: 'twin',
    manifest: [counted(1, 'exit 0')],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'out-of-memory',
    role: 'stall',
    manifest: [workload({ container: { ...env({ MEMORY_MB: '200' }), resources: { limits: { memory: '32Mi' } } } })],
    expected: { verdict: 'stalled', cause: 'OutOfMemory', within: 45 },
  },
  {
    name: 'out-of-memory-update',
    role: 'stall',
    before: [workload()],
    manifest: [workload({ container: { ...env({ MEMORY_MB: '200' }), resources: { limits: { memory: '32Mi' } } } })],
    expected: { verdict: 'stalled', cause: 'OutOfMemory', within: 45 },
  },
  {
    name: 'out-of-memory-once',
    role: 'twin',
    manifest: [
      workload({
        containers: [
          script(firstly(1, 'head -c 200m /dev/zero | tail > /dev/null', 'sleep 3600'), {
            ...STATE.mount,
            resources: { limits: { memory: '32Mi' } },
          }),
        ],
        ...STATE,
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'sidecar-crashes',
    role: 'stall',
    manifest: [
      workload({ containers: [container(), script('echo cannot parse the listener; exit 2', { name: 'proxy' })] }),
    ],
    expected: { verdict: 'stalled', cause: 'CrashLoop', within: 45 },
  },
  {
    name: 'sidecar-restarts-once',
    role: 'herring',
    manifest: [
      workload({
        containers: [container(), script(firstly(1, 'exit 1', 'sleep 3600'), { name: 'proxy', ...STATE.mount })],
        ...STATE,
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'restarts-once-in-soak',
    role: 'twin',
    inputs: { 'stable-for': '10s' },
    manifest: [
      workload({
        containers: [
          container({
            command: ['sh', '-c', firstly(1, 'timeout 5 /entry.sh; exit 1', 'exec /entry.sh')],
            ...STATE.mount,
          }),
        ],
        ...STATE,
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 60 },
  },
  {
    name: 'init-fails',
    role: 'stall',
    manifest: [workload({ init: [script('echo relation does not exist; exit 7', { name: 'migrate' })] })],
    expected: { verdict: 'stalled', cause: 'InitContainerFailed', within: 45 },
  },
  {
    name: 'init-fails-update',
    role: 'stall',
    before: [workload()],
    manifest: [workload({ init: [script('echo relation does not exist; exit 7', { name: 'migrate' })] })],
    expected: { verdict: 'stalled', cause: 'InitContainerFailed', within: 45 },
  },
  {
    name: 'init-passes-at-third',
    role: 'twin',
    manifest: [
      workload({ init: [script(firstly(2, 'exit 7', 'exit 0'), { name: 'migrate', ...STATE.mount })], ...STATE }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'init-hangs',
    role: 'stall',
    manifest: [
      workload({
        init: [script('echo waiting for the lock; sleep 3600', { name: 'migrate' })],
        spec: { progressDeadlineSeconds: 40 },
      }),
    ],
    expected: { verdict: 'timed-out', cause: 'InitContainerStuck', within: 45 },
  },
  {
    name: 'init-takes-its-time',
    role: 'twin',
    manifest: [workload({ init: [script('sleep 40', { name: 'migrate' })] })],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'native-sidecar-crashes',
    role: 'stall',
    manifest: [
      workload({
        init: [
          script('echo no certificate; exit 1', {
            name: 'mesh',
            restartPolicy: 'Always',
            startupProbe: { exec: { command: ['false'] } },
          }),
        ],
      }),
    ],
    expected: { verdict: 'stalled', cause: 'InitContainerFailed', within: 45 },
  },
  {
    name: 'native-sidecar-runs-on',
    role: 'herring',
    manifest: [workload({ init: [script('sleep 3600', { name: 'mesh', restartPolicy: 'Always' })] })],
    expected: { verdict: 'succeeded', cause: '', within: 30 },
  },
];

const LIVENESS = {
  livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, failureThreshold: 3 },
} as const;
const STARTUP = {
  startupProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, failureThreshold: 4 },
} as const;
const slowOnce = firstly(1, 'sleep 30', 'exec /entry.sh');

export const PROBE_CASES: readonly Case[] = [
  {
    name: 'liveness-kills-slow-start',
    role: 'stall',
    manifest: [workload({ container: { ...LIVENESS, ...env({ START_DELAY: '20' }) } })],
    expected: { verdict: 'stalled', cause: 'LivenessKills', within: 45 },
  },
  {
    name: 'liveness-kills-update',
    role: 'stall',
    before: [workload({ container: env({ START_DELAY: '8' }) })],
    manifest: [workload({ container: { ...LIVENESS, ...env({ START_DELAY: '8' }) } })],
    expected: { verdict: 'stalled', cause: 'LivenessKills', within: 45 },
  },
  {
    name: 'liveness-kills-once',
    role: 'twin',
    manifest: [
      workload({ containers: [container({ ...LIVENESS, command: ['sh', '-c', slowOnce], ...STATE.mount })], ...STATE }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'startup-kills',
    role: 'stall',
    manifest: [workload({ container: { ...STARTUP, ...env({ START_DELAY: '20' }) } })],
    expected: { verdict: 'stalled', cause: 'StartupKills', within: 45 },
  },
  {
    name: 'startup-kills-once',
    role: 'twin',
    manifest: [
      workload({ containers: [container({ ...STARTUP, command: ['sh', '-c', slowOnce], ...STATE.mount })], ...STATE }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'native-sidecar-startup-kills',
    role: 'stall',
    manifest: [
      workload({ init: [{ name: 'mesh', image: image('app:unhealthy'), restartPolicy: 'Always', ...STARTUP }] }),
    ],
    expected: { verdict: 'stalled', cause: 'StartupKills', within: 60 },
  },
  {
    name: 'readiness-404',
    role: 'stall',
    manifest: [workload({ container: { image: image('app:unhealthy') } })],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 70 },
  },
  {
    name: 'readiness-404-update',
    role: 'stall',
    before: [workload({ replicas: 2 })],
    manifest: [
      workload({ replicas: 2, container: { readinessProbe: probe({ httpGet: { path: '/ready', port: 8080 } }) } }),
    ],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 70 },
  },
  {
    name: 'readiness-404-warm-up',
    role: 'twin',
    manifest: [workload({ container: env({ READY_AFTER: '40' }) })],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'readiness-refused-changed-port',
    role: 'stall',
    before: [workload()],
    manifest: [workload({ container: { readinessProbe: probe({ httpGet: { path: '/readyz', port: 8081 } }) } })],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 70 },
  },
  {
    name: 'readiness-refused-undeclared-port',
    role: 'stall',
    manifest: [
      workload({
        container: {
          ports: [{ containerPort: 8080 }],
          readinessProbe: { tcpSocket: { port: 9090 }, periodSeconds: 1 },
        },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 70 },
  },
  {
    name: 'readiness-refused-slow-start',
    role: 'twin',
    manifest: [workload({ container: env({ START_DELAY: '75' }) })],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'readiness-exec-not-found',
    role: 'stall',
    manifest: [
      workload({ container: { readinessProbe: { exec: { command: ['/bin/grpc_health_probe'] }, periodSeconds: 2 } } }),
    ],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 30 },
  },
  {
    name: 'readiness-exec-fails',
    role: 'stall',
    manifest: [
      workload({
        container: { readinessProbe: { exec: { command: ['sh', '-c', 'echo not yet; exit 1'] }, periodSeconds: 2 } },
        spec: { progressDeadlineSeconds: 25 },
      }),
    ],
    expected: { verdict: 'timed-out', cause: 'ReadinessNeverPasses', within: 30 },
  },
  {
    name: 'readiness-exec-file-appears',
    role: 'twin',
    manifest: [
      workload({
        containers: [
          script('sleep 45; touch /tmp/ready; sleep 3600', {
            readinessProbe: { exec: { command: ['cat', '/tmp/ready'] }, periodSeconds: 1 },
          }),
        ],
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 90 },
  },
  {
    name: 'readiness-unknown-port-name',
    role: 'stall',
    manifest: [
      workload({
        container: {
          ports: [{ name: 'http', containerPort: 8080 }],
          readinessProbe: probe({ httpGet: { path: '/readyz', port: 'web' } }),
        },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 30 },
  },
  {
    name: 'startup-probe-of-unknown-port',
    role: 'stall',
    manifest: [
      workload({
        container: {
          ports: [{ name: 'http', containerPort: 8080 }],
          startupProbe: { httpGet: { path: '/healthz', port: 'web' }, periodSeconds: 1 },
        },
      }),
    ],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 30 },
  },
  {
    name: 'readiness-wrong-scheme',
    role: 'stall',
    manifest: [
      workload({ container: { readinessProbe: probe({ httpGet: { path: '/readyz', port: 8080, scheme: 'HTTPS' } }) } }),
    ],
    expected: { verdict: 'stalled', cause: 'ReadinessNeverPasses', within: 70 },
  },
  {
    name: 'readiness-timeout',
    role: 'stall',
    manifest: [
      workload({
        container: { readinessProbe: probe({ httpGet: { path: '/cgi-bin/slow', port: 8080 } }) },
        spec: { progressDeadlineSeconds: 25 },
      }),
    ],
    expected: { verdict: 'timed-out', cause: 'ReadinessNeverPasses', within: 30 },
  },
  {
    name: 'readiness-flaps',
    role: 'stall',
    manifest: [
      workload({
        containers: [
          script(`mkdir -p /tmp; (while true; do touch /tmp/ok; sleep 9; rm /tmp/ok; sleep 6; done) & ${SERVE}`, {
            readinessProbe: { httpGet: { path: '/ok', port: 8080 }, periodSeconds: 1, failureThreshold: 1 },
          }),
        ],
      }),
    ],
    inputs: { 'stable-for': '20s' },
    expected: { verdict: 'stalled', cause: 'ReadinessFlapping', within: 120 },
  },
  {
    name: 'readiness-flaps-and-settles',
    role: 'twin',
    inputs: { 'stable-for': '20s' },
    manifest: [
      workload({
        containers: [
          script(`(for i in 1 2; do touch /tmp/ok; sleep 8; rm /tmp/ok; sleep 5; done; touch /tmp/ok) & ${SERVE}`, {
            readinessProbe: { httpGet: { path: '/ok', port: 8080 }, periodSeconds: 1, failureThreshold: 1 },
          }),
        ],
      }),
    ],
    expected: { verdict: 'succeeded', cause: '', within: 120 },
  },
  {
    name: 'readiness-gate-pending',
    role: 'stall',
    manifest: [
      workload({
        pod: { readinessGates: [{ conditionType: 'example.com/load-balancer' }] },
        spec: { progressDeadlineSeconds: 25 },
      }),
    ],
    expected: { verdict: 'timed-out', cause: 'ReadinessGatePending', within: 30 },
  },
];
