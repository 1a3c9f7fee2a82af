import { groupOf, type ObjectRef, refKey } from '../kubernetes.ts';
import type { Planned } from '../plan/planned.ts';
import type { Look } from '../rollout/rollout.ts';
import type { Warning } from './warning.ts';

/** All that the checks look at. */
export interface PreflightScene {
  /** What the manifest asks for, with the live object of each. */
  readonly objects: readonly Planned[];
  readonly look: Look;
}

/** One question, one file. Pure: the warnings follow from the scene alone, and what could not be read is no warning. */
export type Check = (scene: PreflightScene) => readonly Warning[];

/** Whether this manifest creates the namespace: then the cluster has nothing in it, and only the manifest counts. */
export function isNewNamespace(scene: PreflightScene, namespace: string): boolean {
  return scene.objects.some(
    ({ ref, live }) => ref.kind === 'Namespace' && ref.apiVersion === 'v1' && ref.name === namespace && live === null,
  );
}

/** The object as the manifest has it; null if it does not. */
export function inManifest(scene: PreflightScene, ref: ObjectRef): Planned | null {
  const key = refKey(ref);
  return scene.objects.find((planned) => refKey(planned.ref) === key) ?? null;
}

/** The manifest's objects of one kind, in one namespace. */
export function ofKind(scene: PreflightScene, apiVersion: string, kind: string, namespace: string): readonly Planned[] {
  return scene.objects.filter(
    ({ ref }) => ref.kind === kind && groupOf(ref.apiVersion) === groupOf(apiVersion) && ref.namespace === namespace,
  );
}

/** Whether manifest or cluster have the object; null if the cluster would not say. */
export function isThere(scene: PreflightScene, ref: ObjectRef): boolean | null {
  if (inManifest(scene, ref) !== null) return true;
  if (ref.namespace !== '' && isNewNamespace(scene, ref.namespace)) return false;
  const known = scene.look({ kind: 'exists', ref });
  return known.state === 'known' ? known.value : null;
}
