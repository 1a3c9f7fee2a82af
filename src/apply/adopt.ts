import type { KubernetesObject, ManagedFieldsEntry } from '../kubernetes.ts';

/** Managers that stand for a client-side `kubectl apply`. Source: kubectl's apply command, and the server's `before-first-apply`. */
const CLIENT_SIDE_MANAGERS: ReadonlySet<string> = new Set(['kubectl-client-side-apply', 'before-first-apply']);

/** Whether what this manager owns becomes ours with our first apply, because it stands for an earlier apply of the same manifest. */
export function isAdoptable(manager: string): boolean {
  return CLIENT_SIDE_MANAGERS.has(manager);
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
  const adopted = entries.filter((entry) => isClientSide(entry));
  if (adopted.length === 0) return null;
  const ours = entries.find((entry) => isOurs(entry, fieldManager));
  const base: ManagedFieldsEntry = ours ?? { ...adopted[0], manager: fieldManager, operation: 'Apply' };
  const fieldsV1 = [base, ...adopted].map((entry) => entry.fieldsV1 ?? {}).reduce(union);
  const rest = entries.filter((entry) => !adopted.includes(entry) && entry !== ours);
  return [
    { op: 'replace', path: '/metadata/managedFields', value: [{ ...base, fieldsV1 }, ...rest] },
    { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
  ];
}

function isClientSide(entry: ManagedFieldsEntry): boolean {
  return entry.operation === 'Update' && (entry.subresource ?? '') === '' && isAdoptable(entry.manager ?? '');
}

function isOurs(entry: ManagedFieldsEntry, fieldManager: string): boolean {
  return entry.operation === 'Apply' && entry.manager === fieldManager && (entry.subresource ?? '') === '';
}

/** Field sets are nested mappings: their union has the keys of both. Source: structured-merge-diff, FieldsV1. */
function union(a: object, b: object): object {
  const [left, right] = [a as Readonly<Record<string, object>>, b as Readonly<Record<string, object>>];
  return Object.fromEntries(
    [...new Set([...Object.keys(left), ...Object.keys(right)])].map((key) => [
      key,
      union(left[key] ?? {}, right[key] ?? {}),
    ]),
  );
}
