import { type KubernetesObject, type ManagedFieldsEntry, refOf, shortName } from '../kubernetes.ts';
import type { ProvenState } from '../ledger/ledger.ts';
import { LEDGER_MANAGER } from '../ledger/marks.ts';

/** Who but this program changed the object since it was proven, in a few words each. */
export function strangersTo(
  proven: KubernetesObject,
  before: KubernetesObject | null,
  fieldManager: string,
): readonly string[] {
  const name = shortName(refOf(proven));
  if (before === null) return [`${name} was deleted`];
  if (proven.metadata.uid !== before.metadata.uid) return [`${name} was made anew`];
  const ours = new Set([fieldManager, LEDGER_MANAGER]);
  const isRequest = (entry: ManagedFieldsEntry) => (entry.subresource ?? '') === '' && !ours.has(entry.manager ?? '');
  return fresher(proven, before, isRequest).map((entry) => `${name} by "${entry.manager ?? 'unknown'}"`);
}

/** Whether somebody set the replicas through the scale subresource since: an autoscaler, or kubectl scale. */
export function isScaledByOthers(proven: KubernetesObject, before: KubernetesObject): boolean {
  return fresher(proven, before, (entry) => entry.subresource === 'scale').length > 0;
}

/** Whether it was this program that made the object after the state was proven, and nobody else has written to it: a run that was cut off did. */
export function isMadeSince({ metadata }: KubernetesObject, { at }: ProvenState, fieldManager: string): boolean {
  const writers = (metadata.managedFields ?? []).filter((entry) => entry.subresource !== 'status');
  const ours =
    writers.length > 0 && writers.every(({ manager }) => manager === fieldManager || manager === LEDGER_MANAGER);
  return ours && Date.parse(String(metadata.creationTimestamp)) > Date.parse(at);
}

/** The entries of managers that wrote since. An entry that only lost fields to another keeps its time. Source: apimachinery, managedfields. */
function fresher(
  proven: KubernetesObject,
  before: KubernetesObject,
  of: (entry: ManagedFieldsEntry) => boolean,
): readonly ManagedFieldsEntry[] {
  const known = proven.metadata.managedFields ?? [];
  return (before.metadata.managedFields ?? []).filter(of).filter((entry) => {
    const old = known.find(
      (each) =>
        each.manager === entry.manager &&
        each.operation === entry.operation &&
        (each.subresource ?? '') === (entry.subresource ?? ''),
    );
    return old === undefined || (entry.time ?? '') > (old.time ?? '');
  });
}
