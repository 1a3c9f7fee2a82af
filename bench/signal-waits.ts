/** `node bench/signal-waits.ts success|stall ROUNDS`, as a child of `signal-wire.ts`: sends it the milliseconds of each wait. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../src/cluster/connect.ts';
import { createRecorder } from '../src/cluster/recorder.ts';
import { startJourney } from '../src/journey.ts';
import type { KubernetesObject } from '../src/kubernetes.ts';
import { observe } from '../src/observe.ts';
import type { Options } from '../src/options.ts';
import { createSecrets } from '../src/text/secrets.ts';
import { deployment, NOON, pod, replicaSet, running, targetOf, waiting } from '../test/situation.ts';
import { startTinyServer } from './tiny-server.ts';

const OPTIONS: Options = {
  mode: 'deploy',
  manifests: [],
  workloads: [],
  namespace: 'shop',
  images: [],
  kubeconfig: '',
  context: '',
  patience: 1,
  timeoutMs: null,
  stableForMs: 0,
  onStall: 'fail',
  ledger: '',
  unstickStatefulSets: false,
  fieldManager: 'rollout-gate',
  forceConflicts: false,
  logLines: 0,
};

interface Story {
  /** What the lists hold when the wait begins. */
  readonly before: readonly KubernetesObject[];
  readonly decisive: KubernetesObject;
  readonly expected: string;
}

const secondsSinceNoon = (Date.now() - NOON) / 1000;

/** The last status of the Deployment: everything else has become ready before it. */
function success(): Story {
  const asked = deployment();
  const counts = { readyReplicas: 1, availableReplicas: 1 };
  const before = [asked, replicaSet(asked, counts), pod('web-1-a', { status: running(true, secondsSinceNoon) })];
  const conditions = [
    { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
  ];
  return { before, decisive: deployment({ status: { ...counts, conditions } }), expected: 'succeeded' };
}

/** A cause that no waiting can heal, on its first sight. */
function stall(): Story {
  const asked = deployment();
  const decisive = pod('web-1-a', { status: waiting('InvalidImageName', 'invalid reference format') });
  return { before: [asked, replicaSet(asked), pod('web-1-a')], decisive, expected: 'stalled ImageNameInvalid' };
}

async function measure(story: Story, rounds: number): Promise<readonly number[]> {
  const server = await startTinyServer(story.before);
  const secrets = createSecrets(() => undefined);
  const options = { ...OPTIONS, kubeconfig: server.kubeconfig };
  const connection = await connect(options, {}, { onSecret: secrets.add });
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-signal-'));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const recorder = createRecorder({
      file: path.join(folder, 'recording.ndjson'),
      header: { tool: 'bench', server: connection.version, options: {} },
      secrets: secrets.values,
      now: connection.now,
    });
    const target = targetOf(deployment(), { since: connection.now() });
    const watched = server.watched(story.decisive.kind);
    const observing = {
      connection,
      recorder,
      secrets,
      cancelled: new AbortController().signal,
      onProgress: () => undefined,
    };
    const verdict = observe([target], observing, startJourney(options));
    await watched;
    // Past the first judgement: it waits.
    await sleep(20 + Math.random() * 40);
    const sentAt = performance.now();
    server.deliver(story.decisive);
    const { judgement } = await verdict;
    times.push(performance.now() - sentAt);
    recorder.close();
    check(judgement.standings[0]?.decision ?? null, story.expected);
  }
  await connection.close();
  server.close();
  return times;
}

function check(
  decision: { readonly verdict: string; readonly cause?: { readonly code: string } } | null,
  expected: string,
) {
  const found = decision === null ? 'nothing' : `${decision.verdict} ${decision.cause?.code ?? ''}`.trim();
  if (found !== expected) throw new Error(`the verdict was ${found} where ${expected} was expected`);
}

const [name, rounds] = process.argv.slice(2);
const times = await measure(name === 'success' ? success() : stall(), Number(rounds));
process.send?.(times);
process.disconnect();
