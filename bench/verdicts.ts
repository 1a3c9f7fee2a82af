import { setTimeout as sleep } from 'node:timers/promises';
import type { Cost } from './process.ts';
import { gate, gateCommand, HELM, helmCommand, kubectlCommand, peer } from './programs.ts';
import { sameRollout } from './same-rollout.ts';
import { deployment, healthy, inNamespace, REGISTRY, tooLarge } from './scene.ts';
import { median, type Row, spread } from './table.ts';

interface Story {
  readonly name: string;
  readonly expected: string;
  readonly manifest: (namespace: string) => string;
  readonly aimSeconds: number | null;
}

const PROBED = { readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 } };
const SUCCESS: Story = { name: 'success', expected: 'succeeded', manifest: healthy, aimSeconds: null };
const FAILURES: readonly Story[] = [
  {
    name: 'verdict, missing image',
    expected: 'stalled ImageNotFound',
    manifest: (namespace) => deployment(namespace, 'web', { container: { image: `${REGISTRY}/app:nope` } }),
    aimSeconds: 45,
  },
  {
    name: 'verdict, crash loop',
    expected: 'stalled CrashLoop',
    manifest: (namespace) =>
      deployment(namespace, 'web', {
        container: { ...PROBED, image: `${REGISTRY}/busybox:1`, command: ['sh', '-c', 'echo bad flag; exit 2'] },
      }),
    aimSeconds: null,
  },
  {
    name: 'verdict, request that no node can hold',
    expected: 'stalled CapacityInsufficient',
    manifest: tooLarge,
    aimSeconds: null,
  },
];

type Program = (namespace: string, story: Story) => Promise<Cost>;
type Costs = Readonly<Record<'gate' | 'kubectl' | 'helm', Cost[]>>;

const PROGRAMS: readonly (readonly [keyof Costs, Program])[] = [
  ['gate', async (namespace, story) => gate(await gateCommand(story.manifest(namespace)), story.expected)],
  [
    'kubectl',
    async (namespace, story) =>
      peer(await kubectlCommand(story.manifest(namespace), namespace), story.expected === 'succeeded'),
  ],
  [
    'helm',
    async (namespace, story) =>
      peer(await helmCommand(story.manifest(namespace), namespace, '90s'), story.expected === 'succeeded'),
  ],
];

const measured = PROGRAMS.filter(([name]) => name !== 'helm' || HELM !== '');

/** Whole runs, from the start of the program to its end. Successes one after another; failures wait side by side, since waiting costs nothing. */
export async function verdicts(repeat: number): Promise<readonly Row[]> {
  const success = noCosts();
  for (let round = 0; round < repeat * 4 - 1; round += 1)
    for (const [name, program] of turned(measured, round))
      success[name].push(await inNamespace((namespace) => program(namespace, SUCCESS)));
  const failures = FAILURES.map((story) => ({ story, costs: noCosts() }));
  for (let round = 0; round < repeat; round += 1) {
    const all = failures.flatMap((failure) => measured.map((program) => ({ ...failure, program })));
    await Promise.all(
      all.map(async ({ story, costs, program: [name, program] }, index) => {
        // One start does not hinder the other.
        await sleep(index * 1500);
        costs[name].push(await inNamespace((namespace) => program(namespace, story)));
      }),
    );
  }
  return [
    rowOf(SUCCESS, success),
    await sameRollout(repeat * 4 - 1),
    ...failures.map(({ story, costs }) => rowOf(story, costs)),
    {
      measure: 'memory at its peak, 1 Deployment, run to success',
      ...cells(success, (cost) => cost.mebibytes, 'MiB', 0),
    },
  ];
}

function noCosts(): Costs {
  return { gate: [], kubectl: [], helm: [] };
}

/** Each goes first as often as the others. */
function turned<T>(all: readonly T[], by: number): readonly T[] {
  return all.map((_, index) => all[(index + by) % all.length] as T);
}

function rowOf(story: Story, costs: Costs): Row {
  const row = {
    measure: `apply → ${story.name}, median of ${costs.gate.length}`,
    ...cells(costs, (cost) => cost.seconds, 's', 1),
  };
  const ours = median(costs.gate.map((cost) => cost.seconds));
  if (story.aimSeconds === null) return row;
  return { ...row, aim: { text: `≤ ${story.aimSeconds} s`, reached: ours <= story.aimSeconds } };
}

function cells(costs: Costs, value: (cost: Cost) => number, unit: string, digits: number) {
  const [ours, theirs, helm] = [costs.gate, costs.kubectl, costs.helm].map((all) => all.map(value)) as [
    number[],
    number[],
    number[],
  ];
  return {
    gate: spread(ours, unit, digits),
    kubectl: spread(theirs, unit, digits),
    helm: spread(helm, unit, digits) || 'HELM not set',
    ratio: median(ours) / median(theirs),
  };
}
