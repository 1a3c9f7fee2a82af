import type { Planned } from '../plan/planned.ts';

/** The object without fields that are null, which the server takes as absent. Items of lists keep their places. */
export function plannedWithoutNulls(planned: Planned): Planned {
  const { document, live } = planned;
  return {
    ...planned,
    document: { ...document, object: withoutNulls(document.object) },
    live: live === null ? null : withoutNulls(live),
  };
}

function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)])) as T;
}
