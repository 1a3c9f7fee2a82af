import { timeOf } from '../rollout/time.ts';
import type { ContainerExit } from '../rollout/view.ts';
import type { ContainerScene, Scene } from './scene.ts';
import { podSince } from './scene.ts';

/** How a container ended, again and again. */
export interface ExitRecord {
  /** All ends of the container, those included that nobody saw. */
  readonly total: number;
  /** The most recent end. */
  readonly last: ContainerExit;
  /** How many ends in a row, up to the most recent, look the same (exit code). Ends that nobody saw are taken to look like those seen. */
  readonly streak: number;
  /** When the first of them happened; milliseconds since the epoch. */
  readonly since: number;
  /** When the container ended first, whatever that looked like; milliseconds since the epoch. */
  readonly begun: number;
  readonly exits: readonly ContainerExit[];
}

/** null for a container that has not ended yet. */
export function exitRecord(container: ContainerScene, scene: Scene): ExitRecord | null {
  const exits = container.memory?.exits ?? [];
  const last = exits.at(-1);
  if (last === undefined) return null;
  const ended = container.status?.state?.running === undefined;
  const total = Math.max(exits.length, (container.status?.restartCount ?? 0) + (ended ? 1 : 0));
  const differs = exits.findLastIndex((exit) => exit.exitCode !== last.exitCode);
  const same = exits.slice(differs + 1);
  const allSeen = exits.length >= total;
  const podStart = podSince(scene, container.pod);
  const begun = allSeen ? (exits[0]?.finishedAt ?? podStart) : podStart;
  const since = differs < 0 ? begun : (same[0]?.finishedAt ?? podStart);
  return { total, last, streak: differs < 0 ? total : same.length, since, begun, exits };
}

/** Whether the container is down at this moment: ended, or waiting to be started again. */
export function isDown(container: ContainerScene): boolean {
  const state = container.status?.state;
  return state?.terminated !== undefined || (state?.waiting !== undefined && (container.status?.restartCount ?? 0) > 0);
}

/** Whether the container passed its readiness probe, the rollout was complete, and then it ended: that is for the soak to judge. */
export function endedAfterComplete(container: ContainerScene, scene: Scene): boolean {
  const ended = (container.memory?.exits.length ?? 0) > 0;
  return (
    ended &&
    container.spec.readinessProbe !== undefined &&
    container.memory?.wasReady === true &&
    scene.track.breaks.length > 0
  );
}

/** Milliseconds that the run lasted; null if the kubelet did not say. */
export function lifetime(exit: ContainerExit): number | null {
  return exit.startedAt === null || exit.finishedAt === null ? null : exit.finishedAt - exit.startedAt;
}

/** What an exit code tells. 128 + n: ended by signal n (POSIX shells; the kubelet and container runtimes pass it on). */
export function describeExit(exit: ContainerExit): string {
  const meaning = MEANINGS.get(exit.exitCode);
  const signal = exit.exitCode > 128 && exit.exitCode < 160 ? `killed by signal ${exit.exitCode - 128}` : null;
  const known = exit.reason === 'OOMKilled' ? 'out of memory' : (meaning ?? signal);
  return `exit code ${exit.exitCode}${known === null || known === undefined ? '' : ` (${known})`}`;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, 'success'],
  [126, 'the command cannot be executed'],
  [127, 'the command was not found'],
  [134, 'aborted, SIGABRT'],
  [137, 'killed, SIGKILL'],
  [139, 'segmentation fault, SIGSEGV'],
  [143, 'terminated, SIGTERM'],
]);

/**
 * The last lines of the most recent run; null while they are not read yet. One pod speaks for all: the same container of the first pod in
 * which it ended, so that a hundred crashing pods cost one read each time.
 */
export function lastLines(container: ContainerScene, scene: Scene): readonly string[] | null {
  const speaker = scene.containers.find((each) => each.name === container.name && (each.memory?.exits.length ?? 0) > 0);
  const last = speaker?.memory?.exits.at(-1);
  if (speaker === undefined || last === undefined) return [];
  // A container that was started again has the crash in the log before; one that is down has it in its own.
  const log = scene.look({
    kind: 'log',
    namespace: speaker.pod.metadata?.namespace ?? '',
    pod: speaker.podName,
    container: speaker.name,
    previous: speaker.status?.state?.running !== undefined,
    restart: last.restart,
  });
  if (log.state === 'unread') return null;
  return log.state === 'known' ? log.value : [];
}

/** ENOTFOUND as a word of its own: "ModuleNotFoundError" has it inside, and waits for nobody. */
const DEPENDENCY =
  /ECONNREFUSED|ECONNRESET|\bENOTFOUND\b|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|connection (refused|reset|timed out)|no such host|name or service not known|name resolution|could ?n[o']t (connect|reach|resolve)|(unable|failed) to connect|cannot connect|timed? ?out|deadline exceeded|not ready|waiting for|unavailable|unreachable|no route to host/i;

/**
 * Why this failure may be the fault of something that is still coming up, in words for the evidence; null if nothing says so. Such a
 * failure is given longer: what it waits for may appear at any moment.
 */
export function dependencyInSight(
  container: ContainerScene,
  lines: readonly string[] | null,
  scene: Scene,
): string | null {
  const others = scene.othersComingUp;
  if (lines === null) return 'the log of its last run is not read yet';
  if (others.length > 0)
    return `${others.slice(0, 3).join(', ')} of the same run ${others.length === 1 ? 'is' : 'are'} still coming up`;
  const line = lines.slice(-10).findLast((each) => DEPENDENCY.test(each));
  return line === undefined ? null : `${container.name} wrote: ${line.slice(0, 200)}`;
}

/** When the present run, or the last one, was started. */
export function lastStart(container: ContainerScene): number | null {
  const state = container.status?.state;
  return (
    timeOf(state?.running?.startedAt) ??
    timeOf(state?.terminated?.startedAt) ??
    timeOf(container.status?.lastState?.terminated?.startedAt)
  );
}
