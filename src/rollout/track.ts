import type { Pod } from '../kubernetes.ts';
import type { Counts } from './progress.ts';
import type { Rollout } from './rollout.ts';

/** What the clocks of one target remember between two looks. Times are milliseconds since the epoch. */
export interface Track {
  /** The most that was reached so far towards the present replica count. */
  readonly best: Counts;
  readonly lastProgressAt: number;
  /** Since when the rollout is complete, without a restart; null if it is not. */
  readonly completeSince: number | null;
  /** Restarts of our pods' containers, when it last became complete. */
  readonly restarts: number;
  /** When a complete rollout lost it again: by a restart, or by a pod that was ready no more. */
  readonly breaks: readonly number[];
}

/** The clocks start with the apply, not with the first look. */
export function startTrack(rollout: Rollout, since: number): Track {
  return { best: rollout.progress.counts, lastProgressAt: since, completeSince: null, restarts: 0, breaks: [] };
}

/**
 * Moves the clocks on by one look. Progress is more of our revision updated, ready or available than ever before, or fewer old pods:
 * a pod that flaps makes none. A new replica count starts afresh, as it does for the controller.
 */
export function advance(track: Track, rollout: Rollout, now: number): Track {
  const counts = rollout.progress.counts;
  const rescaled = counts.desired !== track.best.desired;
  const moved = rescaled || isProgress(track.best, counts);
  const best = rescaled ? counts : atBest(track.best, counts);
  return { ...track, ...soak(track, rollout, rescaled, now), best, lastProgressAt: moved ? now : track.lastProgressAt };
}

function isProgress(best: Counts, counts: Counts): boolean {
  return (
    counts.updated > best.updated ||
    counts.ready > best.ready ||
    counts.available > best.available ||
    counts.old < best.old
  );
}

function atBest(best: Counts, counts: Counts): Counts {
  return {
    desired: counts.desired,
    updated: Math.max(best.updated, counts.updated),
    ready: Math.max(best.ready, counts.ready),
    available: Math.max(best.available, counts.available),
    old: Math.min(best.old, counts.old),
  };
}

function soak(
  track: Track,
  rollout: Rollout,
  rescaled: boolean,
  now: number,
): Pick<Track, 'completeSince' | 'restarts' | 'breaks'> {
  const restarts = rollout.pods.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const complete = rollout.progress.phase === 'complete';
  const was = track.completeSince;
  if (was === null) return { completeSince: complete ? now : null, restarts, breaks: track.breaks };
  if (complete && restarts <= track.restarts) return { completeSince: was, restarts, breaks: track.breaks };
  const breaks = rescaled ? track.breaks : [...track.breaks, now];
  return { completeSince: complete ? now : null, restarts, breaks };
}

function restartsOf(pod: Pod): number {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  return statuses.reduce((sum, status) => sum + status.restartCount, 0);
}
