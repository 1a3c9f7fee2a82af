import { adoptedEntries, adoptedFields, lastApplied } from '../apply/adopt.ts';
import type { FieldChange } from '../apply/applied.ts';
import { fieldSetOf, member, missingFrom, owns, within } from '../apply/managed-fields.ts';
import type { KubernetesObject } from '../kubernetes.ts';
import { pathOf, withoutServerFields } from './diff.ts';
import { hiddenChange } from './hidden.ts';

/**
 * The fields that go from the cluster because an earlier client-side apply asked for them and the document does not. A dry run does not show
 * them: they become ours only right before the apply. What another manager owns as well stays.
 */
export function removalsByAdoption(live: KubernetesObject | null, document: KubernetesObject): readonly FieldChange[] {
  const earlier = live === null ? null : lastApplied(live);
  if (live === null || earlier === null) return [];
  const adopted = adoptedEntries(live);
  const others = (live.metadata.managedFields ?? []).filter((entry) => !adopted.includes(entry)).map(fieldSetOf);
  return missingFrom(document, within(adoptedFields(live), earlier))
    .filter((keys) => !others.some((set) => owns(set, keys)))
    .map((keys) => ({
      path: pathFrom(keys),
      from: keys.reduce(member, withoutServerFields(live) as unknown),
      to: undefined,
    }))
    .filter((change) => change.from !== undefined && !isEmpty(change.from))
    .map((change) => hiddenChange(change, live));
}

/** kubectl notes empty annotations where a manifest has none. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** `f:spec`, `f:containers`, `k:{"name":"app"}` as `spec.containers[app]` */
function pathFrom(keys: readonly string[]): string {
  return keys.reduce((path, key) => {
    if (key.startsWith('f:')) return pathOf(path, key.slice(2));
    const value: unknown = JSON.parse(key.slice(2));
    const text = typeof value === 'object' && value !== null ? Object.values(value).join(',') : String(value);
    return `${path}[${text}]`;
  }, '');
}
