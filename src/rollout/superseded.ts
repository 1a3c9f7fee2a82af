import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, ManagedFieldsEntry } from '../kubernetes.ts';
import type { Superseded } from './progress.ts';
import type { Target } from './target.ts';
import { timeOf } from './time.ts';

/**
 * Whether somebody else took the object over since our apply. A changed replica count is not that: an autoscaler or a person may
 * scale what rolls out, and the rollout goes on towards the new count.
 *
 * @param live the object as it is now; null if it is gone
 * @param template the part whose change makes a new revision, e.g. `spec.template`
 */
export function supersededBy(
  target: Target,
  live: KubernetesObject | null,
  template: (object: KubernetesObject) => unknown,
): Superseded | null {
  if (live === null) return { by: 'deletion', detail: 'it was deleted by someone else' };
  if (live.metadata.uid !== target.desired.metadata.uid) {
    return { by: 'deletion', detail: `it was deleted and created again${lastManager(target, live)}` };
  }
  if (live.metadata.deletionTimestamp !== undefined)
    return { by: 'deletion', detail: 'it is being deleted by someone else' };
  if (generationOf(live) <= generationOf(target.desired)) return null;
  if (isDeepStrictEqual(template(live), template(target.desired))) return null;
  return { by: 'change', detail: `its template was changed${lastManager(target, live)}` };
}

export function generationOf(object: KubernetesObject): number {
  return object.metadata.generation ?? 0;
}

/** The manager who wrote last and is neither a controller's status update nor, if another did so as late, ourselves. */
function lastManager(target: Target, live: KubernetesObject): string {
  const writers = (live.metadata.managedFields ?? []).filter(
    (entry) => entry.subresource === undefined || entry.subresource === '',
  );
  const newest = [...writers].sort((a, b) => at(b) - at(a) || preference(target, a) - preference(target, b))[0];
  if (newest?.manager === undefined) return '';
  return ` by ${newest.manager}${newest.time === undefined ? '' : ` at ${newest.time}`}`;
}

function at(entry: ManagedFieldsEntry): number {
  return timeOf(entry.time) ?? 0;
}

function preference(target: Target, entry: ManagedFieldsEntry): number {
  return entry.manager === target.fieldManager ? 1 : 0;
}
