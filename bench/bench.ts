/**
 * `npm run bench`: measures the gate beside kubectl and, if HELM names its program, Helm 4, in one run on the cluster of KUBECONFIG, and
 * prints a table. Nothing is asserted: a machine's times are its own, ratios are what counts.
 */
import { mkdir, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordedCases } from '../test/corpus/recordings.ts';
import { rejudge } from '../test/replay/rejudge.ts';
import { BUNDLE, type Cost, firstRequest, gate, gateCommand, median, quantile, run, timed } from './measure.ts';
import { measureScale } from './scale.ts';

const HELM = process.env['HELM'] ?? '';
const WAIT_SECONDS = Number(process.env['BENCH_WAIT_SECONDS'] ?? '300');
const REPEAT = Number(process.env['BENCH_REPEAT'] ?? '3');
const REGISTRY = process.env['ROLLOUT_GATE_TEST_REGISTRY'] ?? 'registry.local';
const AUDIT =
  process.env['ROLLOUT_CLUSTER'] === undefined ? '' : path.join(process.env['ROLLOUT_CLUSTER'], 'log/audit.log');

const rows: string[] = ['| measure | gate | kubectl | Helm 4 | gate ÷ kubectl |', '|---|---|---|---|---|'];

function row(measure: string, ours: string, kubectl = '', helm = '', ratio = ''): void {
  rows.push(`| ${measure} | ${ours} | ${kubectl} | ${helm} | ${ratio} |`);
  console.error(rows.at(-1));
}

function deployment(namespace: string, name: string, container: object, spec: object = {}, pod: object = {}): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      progressDeadlineSeconds: 60,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'app', image: `${REGISTRY}/app:v1`, ...container }],
          ...pod,
        },
      },
      ...spec,
    },
  });
}

async function inNamespace<T>(body: (namespace: string) => Promise<T>): Promise<T> {
  const namespace = `bench-${Math.random().toString(36).slice(2, 8)}`;
  await run('kubectl', ['create', 'namespace', namespace]);
  try {
    return await body(namespace);
  } finally {
    await run('kubectl', ['delete', 'namespace', namespace, '--wait=false']);
  }
}

async function byKubectl(manifest: string): Promise<Cost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-kubectl-'));
  await writeFile(path.join(folder, 'm.yaml'), manifest);
  const { metadata } = JSON.parse(manifest) as { metadata: { name: string; namespace: string } };
  return timed(
    [
      'bash',
      '-c',
      `kubectl apply -f m.yaml && kubectl rollout status deployment/${metadata.name} -n ${metadata.namespace}`,
    ],
    process.env,
    folder,
  );
}

async function byHelm(manifest: string): Promise<Cost> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-helm-'));
  await mkdir(path.join(folder, 'templates'));
  await writeFile(path.join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: bench\nversion: 0.1.0\n');
  await writeFile(path.join(folder, 'templates/m.yaml'), manifest);
  const { metadata } = JSON.parse(manifest) as { metadata: { namespace: string } };
  return timed(
    [HELM, 'upgrade', '--install', 'bench', folder, '-n', metadata.namespace, '--wait', '--timeout', '90s'],
    process.env,
    folder,
  );
}

const PROBED = { readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 } } as const;
const STORIES = {
  'apply → success': [PROBED, { replicas: 2 }],
  'apply → verdict, missing image': [{ image: `${REGISTRY}/app:nope` }, {}],
  'apply → verdict, crash loop': [
    { ...PROBED, image: `${REGISTRY}/busybox:1`, command: ['sh', '-c', 'echo bad flag; exit 2'] },
    {},
  ],
  'apply → verdict, request that no node can hold': [{ resources: { requests: { cpu: '900' } } }, {}],
} as const;

async function verdicts(): Promise<void> {
  for (const [name, [container, spec]] of Object.entries(STORIES)) {
    const seconds = { gate: [] as number[], kubectl: [] as number[], helm: [] as number[] };
    for (let round = 0; round < (name.includes('success') ? REPEAT * 2 - 1 : 1); round += 1) {
      await Promise.all([
        inNamespace(async (namespace) =>
          seconds.gate.push((await gate(deployment(namespace, 'web', container, spec))).seconds),
        ),
        ...(name.includes('success') ? [] : [others()]),
      ]);
      if (name.includes('success')) await others();
    }
    async function others(): Promise<void> {
      await inNamespace(async (namespace) =>
        seconds.kubectl.push((await byKubectl(deployment(namespace, 'web', container, spec))).seconds),
      );
      if (HELM !== '')
        await inNamespace(async (namespace) =>
          seconds.helm.push((await byHelm(deployment(namespace, 'web', container, spec))).seconds),
        );
    }
    const [ours, theirs] = [median(seconds.gate), median(seconds.kubectl)];
    row(
      name,
      `${ours.toFixed(1)} s`,
      `${theirs.toFixed(1)} s`,
      HELM === '' ? 'not built' : `${median(seconds.helm).toFixed(1)} s`,
      (ours / theirs).toFixed(2),
    );
  }
}

async function starts(): Promise<void> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const { env } = await gateCommand('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}');
  for (let round = 0; round < REPEAT * 3; round += 1) {
    ours.push(
      await firstRequest((kubeconfig) => ({
        command: [process.execPath, BUNDLE],
        env: { ...env, INPUT_KUBECONFIG: kubeconfig },
      })),
    );
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-start-'));
    const file = path.join(folder, 'config');
    theirs.push(
      await firstRequest((kubeconfig) => ({
        command: ['bash', '-c', `cat > ${file} <<'K'\n${kubeconfig}\nK\nexec kubectl --kubeconfig ${file} get pods`],
        env: process.env,
      })),
    );
  }
  row(
    'process start → first request',
    `${Math.round(median(ours))} ms`,
    `${Math.round(median(theirs))} ms`,
    '',
    (median(ours) / median(theirs)).toFixed(2),
  );
}

/** Requests in a namespace that the audit log has of a program since a moment. */
async function requestsOf(agent: RegExp, since: string, namespace: string): Promise<number> {
  await sleep(2000);
  const lines = (await readFile(AUDIT, 'utf8')).split('\n').filter((line) => line.includes(namespace));
  return lines
    .map((line) => JSON.parse(line) as { userAgent?: string; requestReceivedTimestamp?: string })
    .filter((entry) => agent.test(entry.userAgent ?? '') && (entry.requestReceivedTimestamp ?? '') >= since).length;
}

async function waits(): Promise<void> {
  if (AUDIT === '') return row('requests of a wait', 'no audit log: ROLLOUT_CLUSTER is not set');
  for (const count of [1, 50]) {
    await inNamespace(async (namespace) => {
      const spec = { progressDeadlineSeconds: WAIT_SECONDS };
      const pods = { nodeSelector: { 'rollout-gate.test/none': 'yes' } };
      const all = Array.from({ length: count }, (_, index) => deployment(namespace, `web-${index}`, {}, spec, pods));
      // Both wait for the same Deployments at the same time; `kubectl apply` is not counted, `kubectl rollout status` is what users run.
      const since = new Date().toISOString();
      const running = gate(all.join('\n---\n'), { patience: 'deadline' });
      await sleep(15_000);
      const kubectlSince = new Date().toISOString();
      const timeout = `--timeout=${WAIT_SECONDS - 15}s`;
      const statuses = all.map((_, index) =>
        timed(['kubectl', 'rollout', 'status', `deployment/web-${index}`, '-n', namespace, timeout]),
      );
      const [cost] = await Promise.all([running, ...statuses]);
      const output = await readFile(path.join(cost.folder, 'output'), 'utf8');
      const file = /^report<<(\S+)\n(.*)\n\1$/m.exec(output)?.[2] ?? '';
      const report = JSON.parse(await readFile(file, 'utf8')) as { requests: { count: number; bytesReceived: number } };
      const inNamespaceOnly = await requestsOf(/^rollout-gate/, since, namespace);
      const ours = report.requests.count;
      const theirs = await requestsOf(/^kubectl/, kubectlSince, namespace);
      row(
        `requests in a wait of ${WAIT_SECONDS} s, ${count} Deployment${count === 1 ? '' : 's'} (dry run and apply included)`,
        `${ours}, of which ${inNamespaceOnly} in the namespace (${Math.round(report.requests.bytesReceived / 1024)} KiB)`,
        `${theirs}`,
        '',
        (ours / theirs).toFixed(2),
      );
      row(`memory at its peak, ${count} Deployment${count === 1 ? '' : 's'}`, `${Math.round(cost.mebibytes)} MiB`);
    });
  }
}

/** From the moment at which the decisive change is in the view to the judgement, over the whole corpus. */
function judging(): void {
  const times = recordedCases().flatMap(({ recording }) => {
    const began = performance.now();
    rejudge(recording);
    const changes = recording.lines.filter((line) => 'change' in line).length;
    return [(performance.now() - began) / Math.max(1, changes)];
  });
  row(
    'one change of the view → judgement',
    `p50 ${quantile(times, 0.5).toFixed(2)} ms, p99.9 ${quantile(times, 0.999).toFixed(2)} ms`,
  );
}

interface Line {
  readonly at: number;
  readonly change?: {
    readonly object: {
      readonly kind: string;
      readonly status?: { readonly conditions?: readonly { readonly reason?: string }[] };
    };
  };
  readonly following?: unknown;
  readonly lookup?: { readonly kind: string };
}

/**
 * From the delivery of the decisive condition to the verdict, for a cause that is certain at sight. The verdict itself leaves no line in the
 * recording; what is read right after it, to be shown, does: so one read of the API server more than the truth is counted.
 */
async function signalToVerdict(): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < REPEAT * 4; round += 1) {
    await inNamespace(async (namespace) => {
      const cost = await gate(deployment(namespace, 'web', { resources: { requests: { cpu: '900' } } }));
      const output = await readFile(path.join(cost.folder, 'output'), 'utf8');
      const recording = /^recording<<(\S+)\n(.*)\n\1$/m.exec(output)?.[2] ?? '';
      const lines = (await readFile(recording, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      const begin = lines.find((line) => line.following !== undefined)?.at ?? 0;
      const decisive =
        lines.find(
          (line) => line.change?.object.status?.conditions?.some((each) => each.reason === 'Unschedulable') === true,
        )?.at ?? begin;
      const after = lines.find((line) => line.lookup?.kind === 'quotas')?.at ?? Number.NaN;
      times.push(after - Math.max(decisive, begin));
    });
  }
  const [half, worst] = [quantile(times, 0.5), Math.max(...times)];
  row(
    'decisive condition delivered → verdict, reads of nodes, pods and autoscaler included',
    `p50 ${Math.round(half)} ms, worst of ${times.length} ${Math.round(worst)} ms`,
  );
}

/** A large view, made up: 100 Deployments of 20 pods, as the watches would have delivered them. */
function scale(): void {
  const { pods, milliseconds, mebibytes } = measureScale(100, 20);
  row(
    `one judgement of ${pods} pods in 100 Deployments (a view made up in the process)`,
    `${milliseconds.toFixed(1)} ms, ${Math.round(mebibytes)} MiB resident`,
  );
}

const parts: Readonly<Record<string, () => Promise<void> | void>> = {
  size,
  scale,
  judging,
  starts,
  signalToVerdict,
  verdicts,
  waits,
};

async function size(): Promise<void> {
  row('size of the bundle', `${((await stat(BUNDLE)).size / 1e6).toFixed(2)} MB`);
}

const wanted = process.argv.slice(2);
for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part();
console.log(rows.join('\n'));
