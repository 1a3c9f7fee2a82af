import { applicationSignals } from './report/application-signals.ts';
import { clusterSignals } from './report/cluster-signals.ts';
import type { LogTail } from './report/report.ts';
import type { Signal } from './report/signal.ts';
import type { Inspection } from './report/workload.ts';
import type { Look } from './rollout/rollout.ts';
import { lookupKey, type Store } from './rollout/store.ts';
import type { Known, Lookup } from './rollout/view.ts';
import type { Finding } from './stall/finding.ts';
import type { ContainerScene, Scene } from './stall/scene.ts';
import { type Judgement, type Standing, sceneOf, type Terms } from './verdict.ts';

/** Containers whose logs are kept: those of the first failing pods say what the others would. */
const MOST_LOGS = 6;

/** Does the reads that a rule asks for; never rejects. */
export type Read = (lookup: Lookup) => Promise<Known<unknown>>;

/** Reads, for every workload that did not get there, the signals and logs that a person would look at. */
export async function inspect(
  judgement: Judgement,
  store: Store,
  terms: Terms,
  read: Read,
  now: number,
): Promise<ReadonlyMap<Standing, Inspection>> {
  const inspections = new Map<Standing, Inspection>();
  for (const standing of judgement.standings) {
    const cause = primary(standing);
    if (cause === null) continue;
    const signals = await withReads(store, read, (look) => {
      const scene = sceneOf(standing, judgement.standings, store.view, look, terms, now);
      return [...clusterSignals(scene, [cause, ...standing.findings]), ...applicationSignals(scene, [cause])];
    });
    const scene = sceneOf(standing, judgement.standings, store.view, (lookup) => store.view.lookup(lookup), terms, now);
    inspections.set(standing, { signals, logs: await logsOf(scene, read) });
  }
  return inspections;
}

/** Why it is not there: of one that was not decided when the wait ended, what was seen until then. */
function primary({ decision, findings }: Standing): Finding | null {
  if (decision === null) return null;
  if ('cause' in decision) return decision.cause;
  return decision.verdict === 'undecided' ? (findings[0] ?? null) : null;
}

/** Computes, does the reads that were missing, and computes again. */
async function withReads(
  store: Store,
  read: Read,
  compute: (look: Look) => readonly Signal[],
): Promise<readonly Signal[]> {
  const missing = new Map<string, Lookup>();
  const first = compute((lookup) => {
    const known = store.view.lookup(lookup);
    if (known.state === 'unread') missing.set(lookupKey(lookup), lookup);
    return known;
  });
  if (missing.size === 0) return first;
  const answers = await Promise.all(
    [...missing.values()].map(async (lookup) => ({ lookup, known: await read(lookup) })),
  );
  for (const { lookup, known } of answers) store.learn(lookup, known);
  return compute((lookup) => store.view.lookup(lookup));
}

async function logsOf(scene: Scene, read: Read): Promise<readonly LogTail[]> {
  const failing = scene.containers.filter((container) => hasRun(container) && isUnwell(container)).slice(0, MOST_LOGS);
  const tails = await Promise.all(
    failing.flatMap((container) => runsOf(container).map((previous) => tail(container, previous, read))),
  );
  return tails.filter((log, index) => (log.lines.length > 0 || log.missing !== '') && !repeats(log, tails[index - 1]));
}

/** While a container waits to be started again, its last run is both the previous and the present one. */
function repeats(log: LogTail, before: LogTail | undefined): boolean {
  const same = before?.pod === log.pod && before.container === log.container;
  return same && before.lines.join('\n') === log.lines.join('\n');
}

function isUnwell(container: ContainerScene): boolean {
  const status = container.status;
  if (container.role === 'init') return (status?.state?.terminated?.exitCode ?? 1) !== 0;
  return status?.ready !== true || status.restartCount > 0;
}

function hasRun(container: ContainerScene): boolean {
  const status = container.status;
  return (
    status?.state?.running !== undefined ||
    status?.state?.terminated !== undefined ||
    status?.lastState?.terminated !== undefined
  );
}

/** The run before the present one first: that is where the crash is. */
function runsOf(container: ContainerScene): readonly boolean[] {
  return (container.status?.restartCount ?? 0) > 0 ? [true, false] : [false];
}

async function tail(container: ContainerScene, previous: boolean, read: Read): Promise<LogTail> {
  const known = await read({
    kind: 'log',
    namespace: container.pod.metadata?.namespace ?? '',
    pod: container.podName,
    container: container.name,
    previous,
    restart: container.status?.restartCount ?? 0,
  });
  const lines = known.state === 'known' ? (known.value as readonly string[]) : [];
  const missing =
    known.state === 'forbidden'
      ? `not allowed to look: the right to ${known.right} is missing`
      : known.state === 'failed'
        ? known.reason
        : '';
  return { pod: container.podName, container: container.name, previous, lines, missing };
}
