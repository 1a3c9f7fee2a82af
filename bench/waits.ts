import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRelay, openUpstream, type Relay, type Upstream } from '../test/live/relay.ts';
import { gate, gateCommand, HELM, helmCommand, kubectlCommand, peer } from './programs.ts';
import { deployment, inNamespace } from './scene.ts';
import type { Row } from './table.ts';

const COUNTS = [1, 50] as const;

/** What a whole run asked of the API server, and the memory of its largest process. */
interface Asked {
  readonly requests: number;
  readonly kibibytes: number;
  readonly mebibytes: number;
}

interface Wait {
  readonly minutes: number;
  readonly count: number;
  readonly gate: Asked;
  readonly kubectl: Asked;
  readonly helm: Asked | null;
}

/** Requests and bytes of whole runs that wait in vain, for one minute and for `minutes`: all at once, since nothing happens in them. */
export async function waits(minutes: number): Promise<readonly Row[]> {
  const upstream = await openUpstream();
  try {
    const lengths = minutes > 1 ? [1, minutes] : [minutes];
    const cases = COUNTS.flatMap((count) => lengths.map((length) => ({ count, minutes: length })));
    const all = await Promise.all(
      cases.map(async ({ count, minutes: length }, index) => {
        await sleep(index * 5000);
        return wait(upstream, count, length);
      }),
    );
    return all.flatMap((one) => rowsOf(one, all));
  } finally {
    upstream.close();
  }
}

async function wait(upstream: Upstream, count: number, minutes: number): Promise<Wait> {
  const names = Array.from({ length: count }, (_, index) => `web-${index}`);
  const manifest = (namespace: string) => names.map((name) => pending(namespace, name, minutes * 60)).join('\n---\n');
  const [ours, kubectl, helm] = await Promise.all([
    asked(upstream, async (namespace, kubeconfig) =>
      gate(
        await gateCommand(manifest(namespace), { patience: 'deadline', timeout: `${minutes + 5}m` }, kubeconfig),
        'timed-out PlacementImpossible',
      ),
    ),
    asked(upstream, async (namespace, kubeconfig) =>
      peer(await kubectlCommand(manifest(namespace), namespace, names, kubeconfig), false),
    ),
    HELM === ''
      ? null
      : asked(upstream, async (namespace, kubeconfig) =>
          peer(await helmCommand(manifest(namespace), namespace, `${minutes * 60}s`, kubeconfig), false),
        ),
  ]);
  return { minutes, count, gate: ours, kubectl, helm };
}

/** Never ready: a nodeSelector that no node answers. */
function pending(namespace: string, name: string, progressDeadlineSeconds: number): string {
  const pod = { nodeSelector: { 'rollout-gate.test/none': 'yes' } };
  return deployment(namespace, name, { spec: { progressDeadlineSeconds }, pod });
}

async function asked(
  upstream: Upstream,
  start: (namespace: string, kubeconfig: string) => ReturnType<typeof peer>,
): Promise<Asked> {
  const relay = await openRelay(upstream);
  try {
    const { mebibytes } = await inNamespace((namespace) => start(namespace, relay.kubeconfig));
    return { requests: await audited(relay), kibibytes: relay.bytes() / 1024, mebibytes };
  } finally {
    relay.close();
  }
}

/** The requests by the API server's own account; by the relay's, where its audit log cannot be read. @throws if the two do not agree */
async function audited(relay: Relay): Promise<number> {
  const folder = process.env['ROLLOUT_CLUSTER'];
  if (folder === undefined) return relay.requests();
  await sleep(3000);
  const log = await readFile(path.join(folder, 'log/audit.log'), 'utf8');
  const lines = log.split('\n').filter((line) => line.includes(relay.mark));
  const count = new Set(lines.map((line) => (JSON.parse(line) as { auditID: string }).auditID)).size;
  if (count !== relay.requests())
    throw new Error(`the audit log has ${count} requests of ${relay.mark}, the relay passed ${relay.requests()}`);
  return count;
}

function rowsOf({ minutes, count, ...asked }: Wait, all: readonly Wait[]): readonly Row[] {
  const short = all.find((each) => each.count === count && each.minutes === 1)?.gate.requests ?? Number.NaN;
  const what = `${count} Deployment${count === 1 ? '' : 's'}, ${minutes} min`;
  const each = (text: (asked: Asked) => string) => ({
    gate: text(asked.gate),
    kubectl: text(asked.kubectl),
    helm: asked.helm === null ? 'HELM not set' : text(asked.helm),
  });
  return [
    {
      measure: `requests and bytes received of a run that waits in vain, ${what}`,
      ...each(({ requests, kibibytes }) => `${requests}, ${kibibytes.toFixed(0)} KiB`),
      ratio: asked.gate.requests / asked.kubectl.requests,
      ...(minutes === 1 ? {} : { aim: { text: 'as many as in 1 min', reached: asked.gate.requests === short } }),
    },
    ...(minutes === 1 && all.length > COUNTS.length
      ? []
      : [
          {
            measure: `memory at its peak, largest process, ${what}`,
            ...each((one) => `${one.mebibytes.toFixed(0)} MiB`),
          },
        ]),
  ];
}
