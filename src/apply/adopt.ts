import type { KubernetesObject, ManagedFieldsEntry } from '../kubernetes.ts';
import { type FieldSet, fieldSetOf, union, within } from './managed-fields.ts';

/** What kubectl calls itself in a client-side apply. */
const CLIENT_SIDE_MANAGER = 'kubectl-client-side-apply';
/** What the server calls all that was there before the first server-side apply, if nothing said who owned it. */
const BEFORE_FIRST_APPLY = 'before-first-apply';
/** Where a client-side apply keeps what it applied: whoever owns it has applied so. Source: kubectl, migrateToSSAIfNecessary. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether what this manager owns becomes ours with our first apply, because it stands for an earlier apply of the same manifest. */
export function isAdoptable(manager: string, live: KubernetesObject): boolean {
  if (manager === CLIENT_SIDE_MANAGER || manager === BEFORE_FIRST_APPLY) return true;
  return live.metadata.managedFields?.some((entry) => entry.manager === manager && isClientSide(entry)) === true;
}

/** Nobody owns anything: then our apply takes nothing away from anybody. */
export function isUnowned(live: KubernetesObject): boolean {
  return (live.metadata.managedFields ?? []).length === 0;
}

/** A JSON patch that leaves one owner where a client-side apply and ours would be two. */
export type AdoptionPatch = readonly { readonly op: 'replace'; readonly path: string; readonly value: unknown }[];

/**
 * Turns the ownership of earlier client-side applies into that of our own server-side apply, so that a field which the manifest no longer
 * has goes from the cluster. null where there is nothing to adopt. The patch holds only for the resourceVersion that it was made from.
 * Source: client-go, csaupgrade.UpgradeManagedFields.
 */
export function adoptionPatch(live: KubernetesObject, fieldManager: string): AdoptionPatch | null {
  const entries = live.metadata.managedFields ?? [];
  const adopted = adoptedEntries(live);
  if (adopted[0] === undefined) return null;
  const ours = entries.find((entry) => isOurs(entry, fieldManager));
  const base: ManagedFieldsEntry = ours ?? { ...adopted[0], manager: fieldManager, operation: 'Apply' };
  const fieldsV1 = union(ours === undefined ? {} : fieldSetOf(ours), adoptedFields(live));
  const rest = entries.filter((entry) => !adopted.includes(entry) && entry !== ours);
  return [
    { op: 'replace', path: '/metadata/managedFields', value: [{ ...base, fieldsV1 }, ...rest] },
    { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
  ];
}

/** The fields that become ours by adoption. */
export function adoptedFields(live: KubernetesObject): FieldSet {
  return adoptedEntries(live)
    .map((entry) => (isClientSide(entry) ? fieldSetOf(entry) : appliedPart(entry, live)))
    .reduce(union, {});
}

/** The entries that adoption takes away. */
export function adoptedEntries(live: KubernetesObject): readonly ManagedFieldsEntry[] {
  return (live.metadata.managedFields ?? []).filter((entry) => isClientSide(entry) || isBeforeFirstApply(entry));
}

/** The object as kubectl last applied it, by its own note; null if there is none. */
export function lastApplied(live: KubernetesObject): object | null {
  const text = live.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return null;
  try {
    const noted: unknown = JSON.parse(text);
    return typeof noted === 'object' ? noted : null;
  } catch {
    // Somebody wrote something else there: then nothing is known of an earlier apply.
    return null;
  }
}

/** `before-first-apply` owns all there was, what the cluster had filled in as well: only what kubectl had applied is the manifest's. */
function appliedPart(entry: ManagedFieldsEntry, live: KubernetesObject): FieldSet {
  const note = { metadata: { annotations: { [LAST_APPLIED]: '' } } };
  const fields = fieldSetOf(entry);
  return [lastApplied(live) ?? {}, note].map((object) => within(fields, object)).reduce(union);
}

function isClientSide(entry: ManagedFieldsEntry): boolean {
  if (entry.operation !== 'Update' || (entry.subresource ?? '') !== '' || isBeforeFirstApply(entry)) return false;
  return entry.manager === CLIENT_SIDE_MANAGER || ownsLastApplied(entry);
}

function isBeforeFirstApply(entry: ManagedFieldsEntry): boolean {
  return entry.operation === 'Update' && entry.manager === BEFORE_FIRST_APPLY;
}

function ownsLastApplied(entry: ManagedFieldsEntry): boolean {
  const fields = entry.fieldsV1 as
    | { readonly 'f:metadata'?: { readonly 'f:annotations'?: Readonly<Record<string, object>> } }
    | undefined;
  return fields?.['f:metadata']?.['f:annotations']?.[`f:${LAST_APPLIED}`] !== undefined;
}

function isOurs(entry: ManagedFieldsEntry, fieldManager: string): boolean {
  return entry.operation === 'Apply' && entry.manager === fieldManager && (entry.subresource ?? '') === '';
}
