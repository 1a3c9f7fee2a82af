import type { Cost } from './process.ts';
import { run } from './process.ts';
import { gate, gateCommand, HELM, helmCommand, kubectlCommand, peer } from './programs.ts';
import { deployment, inNamespace } from './scene.ts';
import type { Row } from './table.ts';

const DEPLOYMENTS = 100;
const REPLICAS = 20;

/**
 * Memory of a run to success with 100 Deployments of 20 pods. `BENCH_NODES` names the script that adds and removes hollow nodes; without it
 * the part is left out.
 */
export async function scale(): Promise<readonly Row[]> {
  const script = process.env['BENCH_NODES'] ?? '';
  const measure = `memory at its peak, largest process, ${DEPLOYMENTS} Deployments of ${REPLICAS} pods, run to success`;
  if (script === '') return [{ measure, gate: 'BENCH_NODES not set' }];
  return withNodes(script, async () => {
    const ours = await once(async (manifest) => gate(await gateCommand(manifest), 'succeeded'));
    const theirs = await once(async (manifest, namespace) =>
      peer(await kubectlCommand(manifest, namespace, NAMES), true),
    );
    const helm =
      HELM === ''
        ? null
        : await once(async (manifest, namespace) => peer(await helmCommand(manifest, namespace, '15m'), true));
    const text = (cost: Cost) => `${cost.mebibytes.toFixed(0)} MiB, run of ${cost.seconds.toFixed(0)} s`;
    return [
      {
        measure,
        gate: text(ours),
        kubectl: `${text(theirs)} (each of ${DEPLOYMENTS})`,
        helm: helm === null ? 'HELM not set' : text(helm),
        ratio: ours.mebibytes / theirs.mebibytes,
      },
    ];
  });
}

const NAMES = Array.from({ length: DEPLOYMENTS }, (_, index) => `web-${index}`);
const NODES = Array.from({ length: 4 }, (_, index) => `bench-${index}`);
const TAINT = { key: 'hollow', value: 'bench', effect: 'NoSchedule' } as const;
const LABEL = { 'rollout-gate.test/hollow': 'bench' } as const;

async function withNodes<T>(script: string, body: () => Promise<T>): Promise<T> {
  const label = Object.entries(LABEL).map(([key, value]) => `${key}=${value}`);
  const taint = `${TAINT.key}=${TAINT.value}:${TAINT.effect}`;
  const added: string[] = [];
  try {
    for (const name of NODES) {
      added.push(name);
      await run(script, ['add', name, `--node-labels=${label}`, `--register-with-taints=${taint}`, '--max-pods=600']);
    }
    return await body();
  } finally {
    for (const name of added) await run(script, ['remove', name]);
  }
}

/** In a namespace that is gone before this returns: the nodes have no room for the pods of two. */
async function once(start: (manifest: string, namespace: string) => Promise<Cost>): Promise<Cost> {
  let used = '';
  const pod = { nodeSelector: LABEL, tolerations: [{ ...TAINT, operator: 'Equal' }] };
  const spec = { replicas: REPLICAS, progressDeadlineSeconds: 600 };
  const cost = await inNamespace((namespace) => {
    used = namespace;
    const manifest = NAMES.map((name) => deployment(namespace, name, { spec, pod })).join('\n---\n');
    return start(manifest, namespace);
  });
  await run('kubectl', ['wait', '--for=delete', `namespace/${used}`, '--timeout=10m']);
  return cost;
}
