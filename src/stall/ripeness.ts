import type { Event } from '../kubernetes.ts';
import { eventTimes } from '../rollout/time.ts';
import type { Ripeness } from './finding.ts';
import type { ContainerScene } from './scene.ts';

/** The kubelet tries a container that could not be made again about this often (pod worker's resync and back-off). */
const KUBELET_RETRY_SECONDS = 15;

/** Ripe as soon as it is seen. */
export function atSight(now: number): Ripeness {
  return { kind: 'span', since: now, seconds: 0, count: 1, needed: 1 };
}

export const NEVER: Ripeness = { kind: 'never' };

/** Ripe once it was seen so often and stood for so long. `since`: milliseconds since the epoch. */
export function after(since: number, seconds: number, count = 1, needed = 1): Ripeness {
  return { kind: 'span', since, seconds, count, needed };
}

/** What was observed how often, and since when. */
export interface Observed {
  readonly since: number;
  readonly count: number;
}

/** The sum over events whose message matches, with the time of the first. */
export function observedEvents(events: readonly Event[], matches: (event: Event) => boolean): Observed | null {
  const matching = events.filter(matches).map(eventTimes);
  if (matching.length === 0) return null;
  return {
    since: Math.min(...matching.map((times) => times.first)),
    count: matching.reduce((sum, times) => sum + times.count, 0),
  };
}

/**
 * How often the kubelet ran into a waiting reason. Its status does not change while it fails again and again in the same way, so the
 * events are counted too, and where these may not be read, the time that has passed.
 */
export function observedWaiting(
  container: ContainerScene,
  reason: string,
  events: Observed | null,
  now: number,
): Observed {
  const entry = container.memory?.waiting.find((each) => each.reason === reason);
  const since = Math.min(entry?.firstAt ?? now, events?.since ?? now);
  const stands = container.memory?.current === reason ? now : (entry?.lastAt ?? now);
  const byTime = 1 + Math.floor(Math.max(0, stands - (entry?.firstAt ?? stands)) / (KUBELET_RETRY_SECONDS * 1000));
  return { since, count: Math.max(entry?.times ?? 1, events?.count ?? 0, byTime) };
}
