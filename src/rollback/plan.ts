import type { ApiResource } from '../cluster/api.ts';
import { groupOf, type KubernetesObject, shortName } from '../kubernetes.ts';
import type { Aimed, Turned } from './aim.ts';
import { wantedState } from './patches.ts';
import { changedSince, writersSince } from './state.ts';
import { unreadyReason } from './was-ready.ts';

/** An object of this run, and what was read of it when the rollback was decided. */
export interface Surveyed extends Aimed {
  readonly resource: ApiResource;
  readonly live: KubernetesObject | null;
  /** Whether a HorizontalPodAutoscaler sets its replicas; `unknown` if that may not be read. */
  readonly autoscaled: 'yes' | 'no' | 'unknown';
  /** What else names it, in a few words; empty if nothing does. */
  readonly usedBy: string;
}

export type Step =
  | { readonly action: 'restore'; readonly object: Surveyed; readonly before: KubernetesObject }
  | { readonly action: 'delete'; readonly object: Surveyed };

export interface Kept {
  readonly object: Surveyed;
  readonly why: string;
}

export type RollbackPlan =
  | { readonly outcome: 'none'; readonly reason: string }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'go'; readonly steps: readonly Step[]; readonly kept: readonly Kept[] };

/**
 * Decides for all objects at once, before anything is touched: what goes back, what is removed, what stays; or why nothing is done. Pure.
 * What is restored comes first, in the order of the apply, so that pods which come back find their configuration; what is removed comes last.
 *
 * @param all the objects of this run in the order of their application
 */
export function planRollback(all: readonly Surveyed[]): RollbackPlan {
  const touched = all.filter((each) => each.applied.action !== 'unchanged');
  if (!touched.some((each) => each.applied.action === 'changed'))
    return {
      outcome: 'none',
      reason:
        touched.length === 0
          ? 'This run changed nothing, so there is nothing to go back to'
          : 'Everything this run changed it created: there is nothing to go back to, and the objects are kept for inspection',
    };
  const obstacles = touched.flatMap(obstacle);
  if (obstacles.length > 0) return { outcome: 'refused', reason: `Nothing was rolled back: ${obstacles.join('; ')}` };
  const kept = touched.flatMap((object) => {
    const why = keptBecause(object);
    return why === '' ? [] : [{ object, why }];
  });
  const free = touched.filter((object) => !kept.some((each) => each.object === object));
  const restores = free.flatMap((object): Step[] => {
    const { before } = object.applied;
    return before === null ? [] : [{ action: 'restore', object, before }];
  });
  const removals = free
    .filter(({ applied, live }) => applied.before === null && live !== null)
    .map((object): Step => ({ action: 'delete', object }));
  return { outcome: 'go', steps: [...restores, ...removals.reverse()], kept };
}

/** Why one object forbids the whole rollback. */
function obstacle(object: Surveyed): readonly string[] {
  const { applied } = object;
  const foreign = foreignChange(object);
  if (foreign !== '') return [foreign];
  if (applied.before === null || object.proven || keptBecause(object) !== '') return [];
  const unready = unreadyReason(applied.before);
  if (unready === '') return [];
  return [
    `${shortName(applied.ref)} was not ready before this run either (${unready}), and no proven state of it is known. By hand: ${byHand(applied)} — or apply a manifest that is known to work`,
  ];
}

/** What somebody else did to the object since our apply; empty if nothing. */
export function foreignChange({ applied, live, autoscaled }: Surveyed): string {
  const name = shortName(applied.ref);
  // What is gone and was created by this run needs no removing.
  if (live === null) return applied.before === null ? '' : `${name} was deleted by somebody else since the apply`;
  if (live.metadata.uid !== applied.after.metadata.uid) return `${name} was made anew by somebody else since the apply`;
  if (live.metadata.deletionTimestamp !== undefined) return `${name} is being deleted by somebody else`;
  const changes = changedSince(applied.after, live).filter(
    ({ path }) => !(path === 'spec.replicas' && autoscaled !== 'no'),
  );
  if (changes.length === 0) return '';
  const who = writersSince(applied.after, live).map((writer) => `"${writer}"`);
  const what = changes.map((change) => change.path).join(', ');
  return `${name} was changed by ${who.join(' and ') || 'somebody else'} since the apply (${what}), and that is not overwritten. To see who: kubectl get ${applied.ref.kind.toLowerCase()} ${applied.ref.name}${inNamespace(applied)} -o yaml --show-managed-fields`;
}

/** The state to restore, for the object as it stands. */
export function wantedOf({ applied, autoscaled }: Surveyed, before: KubernetesObject, live: KubernetesObject) {
  const replicas = (object: KubernetesObject) =>
    (object['spec'] as { readonly replicas?: number } | undefined)?.replicas;
  const keep = autoscaled === 'yes' || (autoscaled === 'unknown' && replicas(live) !== replicas(applied.after));
  return wantedState(before, live, keep);
}

/** Kinds that hold data, or whose removal takes data with it. */
export const DATA_KINDS: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolumeClaim',
  '/PersistentVolume',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

function keptBecause({ applied, resource, usedBy, stays }: Surveyed): string {
  if (stays !== '') return stays;
  const { ref, before, after } = applied;
  const kind = `${groupOf(ref.apiVersion)}/${ref.kind}`;
  if (before !== null)
    return DATA_KINDS.has(kind) && kind !== '/Namespace' ? 'its data could suffer from going back' : '';
  if (DATA_KINDS.has(kind)) return 'it holds data: it is never removed';
  if (!resource.namespaced) return 'it belongs to the whole cluster: who else uses it cannot be known';
  if (!BUILT_IN.test(groupOf(ref.apiVersion)))
    return 'it is a custom resource: what its removal takes with it is not known';
  const spec = after['spec'] as { readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string } };
  if (spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete')
    return 'removing it would remove its PersistentVolumeClaims';
  return usedBy === '' ? '' : `it is used by ${usedBy}`;
}

const BUILT_IN = /^(|apps|batch|autoscaling|policy|networking\.k8s\.io|rbac\.authorization\.k8s\.io)$/;

function byHand({ ref, before }: Turned): string {
  const target = `${ref.kind.toLowerCase()}/${ref.name}`;
  return before !== null && ['Deployment', 'StatefulSet', 'DaemonSet'].includes(ref.kind)
    ? `kubectl rollout history ${target}${inNamespace({ ref })}, then kubectl rollout undo ${target}${inNamespace({ ref })} --to-revision=N`
    : `kubectl describe ${target}${inNamespace({ ref })}`;
}

function inNamespace({ ref }: Pick<Turned, 'ref'>): string {
  return ref.namespace === '' ? '' : ` -n ${ref.namespace}`;
}
