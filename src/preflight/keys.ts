import type { KubernetesObject, ObjectRef } from '../kubernetes.ts';
import type { Planned } from '../plan/planned.ts';
import { inManifest, type PreflightScene } from './scene.ts';

const FIELDS = ['data', 'binaryData', 'stringData'] as const;

/** Whether a ConfigMap, or a Secret of the manifest, has a key; null if that is not known. No Secret of the cluster is read for it. */
export function hasKey(scene: PreflightScene, ref: ObjectRef, key: string): boolean | null {
  const planned = inManifest(scene, ref);
  if (planned !== null) return plannedHasKey(planned, key);
  if (ref.kind !== 'ConfigMap') return null;
  const known = scene.look({ kind: 'config-map', namespace: ref.namespace, name: ref.name });
  if (known.state !== 'known' || known.value === null) return null;
  return keysOf(known.value as unknown as KubernetesObject).has(key);
}

/** What somebody else put into the live object stays there; what this apply takes out of it does not. */
function plannedHasKey({ document, live, changes }: Planned, key: string): boolean | null {
  const asked = keysOf(document.object);
  if (asked.has(key)) return true;
  // An object without keys, or of a type of its own, is there for something else to fill.
  if (asked.size === 0 || !['Opaque', undefined].includes(document.object['type'] as string | undefined)) return null;
  if (live === null || !keysOf(live).has(key)) return false;
  return !changes.some(({ path, to }) => to === undefined && FIELDS.some((field) => isKey(path, field, key)));
}

/** A change of the key itself. Its path is written as `plan/diff.ts` does it: one with dots in brackets. */
function isKey(path: string, field: string, key: string): boolean {
  return path === `${field}.${key}` || path === `${field}[${key}]` || path === field;
}

function keysOf(object: KubernetesObject): ReadonlySet<string> {
  return new Set(FIELDS.flatMap((field) => Object.keys((object[field] ?? {}) as object)));
}
