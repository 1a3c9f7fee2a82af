import { type OnLine, openRelay, openUpstream, type Upstream } from '../test/live/relay.ts';
import { gate, gateCommand, HELM, helmCommand, kubectlCommand, peer } from './programs.ts';
import { healthy, inNamespace, tooLarge } from './scene.ts';
import { median, type Row } from './table.ts';

/** Milliseconds from the delivery of the decisive line. */
interface Reaction {
  /** To the line of the log that says the verdict; NaN if the program prints none. */
  readonly said: number;
  readonly ended: number;
}

/** Decisive watch line delivered by the real API server → the program says so → it ends. */
export async function signalLive(repeat: number): Promise<readonly Row[]> {
  const upstream = await openUpstream();
  try {
    const success = { gate: [] as Reaction[], kubectl: [] as Reaction[], helm: [] as Reaction[] };
    const stall: Reaction[] = [];
    for (let round = 0; round < repeat * 3; round += 1) {
      success.gate.push(await gateOn(upstream, healthy, isComplete, 'succeeded'));
      success.kubectl.push(await kubectlOn(upstream));
      if (HELM !== '') success.helm.push(await helmOn(upstream));
      stall.push(await gateOn(upstream, tooLarge, isUnschedulable, 'stalled CapacityInsufficient'));
    }
    const count = success.gate.length;
    return [
      {
        measure: `last status of the Deployment delivered → verdict said, ${count} runs`,
        gate: text(success.gate, 'said'),
        kubectl: text(success.kubectl, 'said'),
        ratio: middle(success.gate, 'said') / middle(success.kubectl, 'said'),
        aim: { text: 'p50 ≤ 100 ms', reached: middle(success.gate, 'said') <= 100 },
      },
      {
        measure: `the same → process ended (report, summary and outputs written), ${count} runs`,
        gate: text(success.gate, 'ended'),
        kubectl: text(success.kubectl, 'ended'),
        helm: HELM === '' ? 'HELM not set' : text(success.helm, 'ended'),
        ratio: middle(success.gate, 'ended') / middle(success.kubectl, 'ended'),
      },
      {
        measure: `pod's Unschedulable delivered → verdict said, reads of nodes and pods included, ${count} runs`,
        gate: text(stall, 'said'),
        kubectl: 'never says so',
        aim: { text: 'p50 ≤ 100 ms', reached: middle(stall, 'said') <= 100 },
      },
      {
        measure: `the same → process ended (inspected, report written), ${count} runs`,
        gate: text(stall, 'ended'),
      },
    ];
  } finally {
    upstream.close();
  }
}

function middle(reactions: readonly Reaction[], what: keyof Reaction): number {
  return median(reactions.map((each) => each[what]));
}

function text(reactions: readonly Reaction[], what: keyof Reaction): string {
  const worst = Math.max(...reactions.map((each) => each[what]));
  return `p50 ${middle(reactions, what).toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
}

type Decides = (object: WatchedObject) => boolean;

async function gateOn(upstream: Upstream, manifest: (namespace: string) => string, decides: Decides, expected: string) {
  return reaction(upstream, decides, async (namespace, kubeconfig) =>
    gate(await gateCommand(manifest(namespace), {}, kubeconfig), expected, /ready: (succeeded|stalled)/),
  );
}

async function kubectlOn(upstream: Upstream): Promise<Reaction> {
  return reaction(upstream, isComplete, async (namespace, kubeconfig) =>
    peer(await kubectlCommand(healthy(namespace), namespace, ['web'], kubeconfig), true, /successfully rolled out/),
  );
}

async function helmOn(upstream: Upstream): Promise<Reaction> {
  return reaction(upstream, isComplete, async (namespace, kubeconfig) =>
    peer(await helmCommand(healthy(namespace), namespace, '90s', kubeconfig), true),
  );
}

async function reaction(
  upstream: Upstream,
  decides: Decides,
  start: (namespace: string, kubeconfig: string) => ReturnType<typeof peer>,
): Promise<Reaction> {
  let decisiveAt = Number.NaN;
  const onLine: OnLine = (line, at) => {
    if (Number.isNaN(decisiveAt) && decides((JSON.parse(line) as { object: WatchedObject }).object)) decisiveAt = at;
  };
  const relay = await openRelay(upstream, onLine);
  try {
    const cost = await inNamespace((namespace) => start(namespace, relay.kubeconfig));
    if (Number.isNaN(decisiveAt)) throw new Error('no watch delivered the decisive line: it came with a list');
    return { said: (cost.printedAt ?? Number.NaN) - decisiveAt, ended: cost.endedAt - decisiveAt };
  } finally {
    relay.close();
  }
}

interface WatchedObject {
  readonly kind: string;
  readonly metadata: { readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly reason?: string }[];
  };
}

/** What `kubectl rollout status` takes for success. */
function isComplete({ kind, metadata, spec, status }: WatchedObject): boolean {
  const wanted = spec?.replicas ?? 1;
  return (
    kind === 'Deployment' &&
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    [status?.replicas, status?.updatedReplicas, status?.availableReplicas].every((count) => count === wanted)
  );
}

function isUnschedulable({ kind, status }: WatchedObject): boolean {
  return kind === 'Pod' && status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true;
}
