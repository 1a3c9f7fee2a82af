import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, ManagedFieldsEntry } from '../kubernetes.ts';
import { LEDGER_MANAGER } from '../ledger/marks.ts';
import { isControllerAnnotation } from './state.ts';

export interface PatchOperation {
  readonly op: 'test' | 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** What the object is to be again: its state before, but with what controllers note down, and live replicas if they are not ours. */
export function wantedState(before: KubernetesObject, live: KubernetesObject, keepReplicas: boolean): KubernetesObject {
  const notes = Object.entries(live.metadata.annotations ?? {}).filter(([name]) => isControllerAnnotation(name));
  const own = Object.entries(before.metadata.annotations ?? {}).filter(([name]) => !isControllerAnnotation(name));
  const annotations = Object.fromEntries([...own, ...notes]);
  const metadata = { ...before.metadata, annotations };
  const replicas = (live['spec'] as { readonly replicas?: number } | undefined)?.replicas;
  if (!keepReplicas || replicas === undefined) return { ...before, metadata };
  return { ...before, metadata, spec: { ...(before['spec'] as object), replicas } };
}

/** A JSON patch from the live object to the wanted one. It holds only for this very object at this very resourceVersion. */
export function restorePatch(live: KubernetesObject, wanted: KubernetesObject): readonly PatchOperation[] {
  const names = [...new Set([...Object.keys(live), ...Object.keys(wanted)])].filter((name) => !APART.has(name));
  return [
    ...guard(live),
    ...names.flatMap((name) => operation(`/${pointer(name)}`, live[name], wanted[name])),
    ...operation('/metadata/labels', live.metadata.labels, filled(wanted.metadata.labels)),
    ...operation('/metadata/annotations', live.metadata.annotations, filled(wanted.metadata.annotations)),
  ];
}

const APART: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/**
 * A JSON patch that gives every field back to who owned it before. It must follow the restoring one: a request that changes a field makes its
 * sender the owner, whatever the same request says of managedFields. Source: apimachinery, managedfields, FieldManager.Update.
 */
export function ownershipPatch(live: KubernetesObject, before: KubernetesObject): readonly PatchOperation[] {
  const apart = (entry: ManagedFieldsEntry) => (entry.subresource ?? '') !== '' || entry.manager === LEDGER_MANAGER;
  const owners = (before.metadata.managedFields ?? []).filter((entry) => !apart(entry));
  const others = (live.metadata.managedFields ?? []).filter(apart);
  const all = [...owners, ...others];
  // One empty entry is how a client says that nobody owns anything.
  return [...guard(live), { op: 'replace', path: '/metadata/managedFields', value: all.length === 0 ? [{}] : all }];
}

function guard(live: KubernetesObject): readonly PatchOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: live.metadata.uid },
    { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
  ];
}

function operation(path: string, from: unknown, to: unknown): readonly PatchOperation[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (to === undefined) return [{ op: 'remove', path }];
  return [{ op: from === undefined ? 'add' : 'replace', path, value: to }];
}

function filled<T extends object>(value: T | undefined): T | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
