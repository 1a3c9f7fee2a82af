import type { ContainerStatus, Pod } from '../kubernetes.ts';
import { timeOf } from './time.ts';
import type { ContainerExit, ContainerMemory, PodMemory, WaitingReason } from './view.ts';

/**
 * Folds one more observation of a pod into what is remembered of it. A pod's status shows only the present and one past state of
 * each container, so that the reason of a failed pull or the rhythm of a crash would be lost without this.
 *
 * @param before what was remembered, or null for a pod not seen before
 * @param now milliseconds since the epoch by the server's clock
 */
export function remember(before: PodMemory | null, pod: Pod, now: number): PodMemory {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const containers = new Map(before?.containers);
  for (const status of statuses) {
    containers.set(status.name, rememberContainer(containers.get(status.name) ?? null, status, now));
  }
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready');
  const readyAt = ready?.status === 'True' ? (timeOf(ready.lastTransitionTime) ?? now) : null;
  return {
    uid: pod.metadata?.uid ?? '',
    firstSeen: before?.firstSeen ?? now,
    containers,
    firstReady: before?.firstReady ?? readyAt,
  };
}

function rememberContainer(before: ContainerMemory | null, status: ContainerStatus, now: number): ContainerMemory {
  const wasReadyNow = before?.readySince ?? null;
  const readySince = status.ready ? (wasReadyNow ?? now) : null;
  const lost = wasReadyNow !== null && !status.ready && status.state?.running !== undefined;
  return {
    name: status.name,
    waiting: rememberWaiting(before, status, now),
    current: status.state?.waiting?.reason ?? null,
    exits: rememberExits(before?.exits ?? [], status),
    readySince,
    wasReady: before?.wasReady === true || status.ready,
    lostAt: status.ready ? null : wasReadyNow === null ? (before?.lostAt ?? null) : now,
    readyLost: (before?.readyLost ?? 0) + (lost ? 1 : 0),
  };
}

function rememberWaiting(
  before: ContainerMemory | null,
  status: ContainerStatus,
  now: number,
): readonly WaitingReason[] {
  const known = before?.waiting ?? [];
  const waiting = status.state?.waiting;
  const reason = waiting?.reason;
  if (reason === undefined || reason === '') return known;
  const entered = before?.current !== reason;
  const earlier = known.find((entry) => entry.reason === reason);
  const entry: WaitingReason = {
    reason,
    message: waiting?.message ?? earlier?.message ?? '',
    firstAt: earlier?.firstAt ?? now,
    lastAt: now,
    times: (earlier?.times ?? 0) + (entered ? 1 : 0),
  };
  return [...known.filter((other) => other !== earlier), entry];
}

/**
 * Runs are numbered by restartCount. Of a container that runs, the last ended run is the one before; one that waits to be started again shows
 * its present number with the run that has just ended. Source: kubelet_pods.go, convertToAPIContainerStatuses.
 */
function rememberExits(known: readonly ContainerExit[], status: ContainerStatus): readonly ContainerExit[] {
  const current = status.state?.terminated;
  const last = status.lastState?.terminated;
  const lastRun = status.state?.waiting === undefined ? status.restartCount - 1 : status.restartCount;
  const seen = [
    last === undefined ? null : exitOf(lastRun, last),
    current === undefined ? null : exitOf(status.restartCount, current),
  ].filter((exit) => exit !== null);
  const exits = new Map(known.map((exit) => [exit.restart, exit]));
  for (const exit of seen) exits.set(exit.restart, exit);
  return [...exits.values()].sort((a, b) => a.restart - b.restart);
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

function exitOf(restart: number, terminated: Terminated): ContainerExit {
  return {
    restart,
    startedAt: realTime(terminated.startedAt),
    finishedAt: realTime(terminated.finishedAt),
    exitCode: terminated.exitCode,
    signal: terminated.signal ?? null,
    reason: terminated.reason ?? '',
    message: terminated.message ?? '',
  };
}

/** A container that never started has the zero time of Go or of Unix. */
function realTime(time: string | undefined): number | null {
  const at = timeOf(time);
  return at === null || at <= 0 ? null : at;
}
