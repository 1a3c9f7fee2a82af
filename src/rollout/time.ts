import type { Event } from '../kubernetes.ts';

/** Milliseconds since the epoch of an RFC 3339 time; null where there is none. Kubernetes' own times have whole seconds. */
export function timeOf(time: string | undefined | null): number | null {
  if (time === undefined || time === null) return null;
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? null : parsed;
}

/** When an event was first and last seen and how often, whichever of the API's two styles its reporter uses. */
export interface EventTimes {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/**
 * Old reporters fill firstTimestamp, lastTimestamp and count; new ones (the scheduler) eventTime and series.
 * Source: core/v1 Event, events.k8s.io/v1 Event.
 */
export function eventTimes(event: Event): EventTimes {
  const created = timeOf(event.metadata.creationTimestamp) ?? 0;
  const first = timeOf(event.firstTimestamp) ?? timeOf(event.eventTime) ?? created;
  const last = timeOf(event.series?.lastObservedTime) ?? timeOf(event.lastTimestamp) ?? first;
  return { first, last: Math.max(first, last), count: Math.max(1, event.series?.count ?? event.count ?? 1) };
}
