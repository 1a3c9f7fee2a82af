import { isDeepStrictEqual } from 'node:util';
import type { Applied } from '../apply/applied.ts';
import { type KubernetesObject, type ObjectRef, refKey, refOf } from '../kubernetes.ts';
import { isKept } from '../ledger/kept.ts';
import type { ProvenState } from '../ledger/ledger.ts';
import { isStamped } from '../ledger/stamp.ts';
import { diff } from '../plan/diff.ts';
import { isMadeSince, isScaledByOthers, strangersTo } from './since-proven.ts';
import { requestOf } from './state.ts';

/** What a rollback knows of an object of the run: where it is to go back to (`before`), and how it was left (`after`). */
export type Turned = Pick<Applied, 'ref' | 'action' | 'changes' | 'before' | 'after'>;

/** One object, with what is known of the state that it is to go back to. */
export interface Aimed {
  readonly applied: Turned;
  /** Whether that state was seen to work before, so that its readiness at this run's begin says nothing. */
  readonly proven: boolean;
  /** Why it stays as it is; empty if it goes back. */
  readonly stays: string;
}

/** Where one namespace goes back to. */
export interface Aim {
  readonly objects: readonly Aimed[];
  /** The target in a few words, for the summary. */
  readonly target: string;
  /** Whether this run's own snapshot is the target, and nothing proves it but its readiness. */
  readonly unproven: boolean;
}

const BEFORE = 'the state before this run, which was ready';

/** The newest state in the ledger that says something of a workload of this run; null if there is none. */
export function stateFor(all: readonly Applied[], states: readonly ProvenState[]): ProvenState | null {
  const workloads = new Set(
    all.filter((each) => each.before !== null && isStamped(each.after)).map((each) => refKey(each.ref)),
  );
  return states.find(({ objects }) => objects.some((each) => workloads.has(refKey(refOf(each))))) ?? null;
}

/** The references of a state's objects that this run's manifest does not name. */
export function unnamed(all: readonly Applied[], state: ProvenState): readonly ObjectRef[] {
  const named = new Set(all.map((each) => refKey(each.ref)));
  return state.objects.map(refOf).filter((ref) => !named.has(refKey(ref)));
}

/**
 * Decides where the objects of one namespace go back to. If what stood there before this run is the proven state, that is restored; if earlier
 * runs of the gate left something else there, the proven state is; if somebody else did, theirs is not overwritten: it is the state before
 * this run, if that was ready. Pure.
 *
 * @param all what this run applied in the namespace, in order
 * @param state what the ledger has, by `stateFor`
 * @param others the live objects of the state that this run's manifest does not name, by `refKey`
 */
export function aim(
  all: readonly Applied[],
  state: ProvenState | null,
  others: ReadonlyMap<string, KubernetesObject | null>,
  fieldManager: string,
): Aim {
  if (state === null) return { objects: all.map(asBefore), target: BEFORE, unproven: true };
  const mine = new Map(all.map((each) => [refKey(each.ref), each]));
  const pairs = state.objects.map((proven) => {
    const key = refKey(refOf(proven));
    const applied = mine.get(key) ?? null;
    return { proven, applied, before: applied === null ? (others.get(key) ?? null) : applied.before };
  });
  const moved = pairs.filter(({ proven, before }) => before === null || !isSame(proven, before));
  const said = `the state that ${state.run} ${state.proof === 'soaked' ? 'proved' : 'found ready'} (${state.at})`;
  if (moved.length === 0) return { objects: asProven(all, state, fieldManager), target: said, unproven: false };
  const foreign = moved.flatMap(({ proven, before }) => strangersTo(proven, before, fieldManager));
  if (foreign.length > 0) {
    const target = `${BEFORE} (${said} is older than what others changed: ${[...new Set(foreign)].join(', ')})`;
    return { objects: all.map(asBefore), target, unproven: true };
  }
  return { objects: toState(all, pairs, state, fieldManager), target: said, unproven: false };
}

function asBefore(applied: Applied): Aimed {
  return { applied, proven: false, stays: '' };
}

/** What stood there before this run is the proven state, owners and all: that is what goes back. */
function asProven(all: readonly Applied[], state: ProvenState, fieldManager: string): readonly Aimed[] {
  const known = new Set(state.objects.map((each) => refKey(refOf(each))));
  return all.flatMap((applied) =>
    known.has(refKey(applied.ref)) ? [{ ...asBefore(applied), proven: true }] : beside(applied, state, fieldManager),
  );
}

interface Pair {
  readonly proven: KubernetesObject;
  readonly applied: Applied | null;
  readonly before: KubernetesObject | null;
}

function toState(
  all: readonly Applied[],
  pairs: readonly Pair[],
  state: ProvenState,
  fieldManager: string,
): readonly Aimed[] {
  const known = new Map(pairs.map((pair) => [refKey(refOf(pair.proven)), pair]));
  const rest = pairs.filter((pair) => pair.applied === null).flatMap(backTo);
  const own = all.flatMap((applied): readonly Aimed[] => {
    const pair = known.get(refKey(applied.ref));
    return pair === undefined ? beside(applied, state, fieldManager) : backTo(pair);
  });
  return [...rest, ...own];
}

/** An object of this run that the proven state does not have. */
function beside(applied: Applied, state: ProvenState, fieldManager: string): readonly Aimed[] {
  const { before, after, action } = applied;
  if (before === null || !isKept(after)) return [asBefore(applied)];
  if (isMadeSince(before, state, fieldManager))
    return [{ ...asBefore(applied), applied: { ...applied, action: 'created', before: null } }];
  return action === 'unchanged' ? [] : [{ ...asBefore(applied), stays: 'it is not part of the proven state' }];
}

function backTo({ proven, applied, before }: Pair): readonly Aimed[] {
  const after = applied === null ? before : applied.after;
  if (after === null) return [];
  const wanted = before !== null && isScaledByOthers(proven, before) ? withReplicasOf(before, proven) : proven;
  const changes = diff(wanted, after);
  if (isDeepStrictEqual(requestOf(wanted), requestOf(after))) return [];
  const turned: Turned = { ref: refOf(proven), action: 'changed', changes, before: wanted, after };
  return [{ applied: turned, proven: true, stays: '' }];
}

function isSame(proven: KubernetesObject, before: KubernetesObject): boolean {
  if (proven.metadata.uid !== before.metadata.uid) return false;
  const wanted = isScaledByOthers(proven, before) ? withReplicasOf(before, proven) : proven;
  return isDeepStrictEqual(requestOf(wanted), requestOf(before));
}

function withReplicasOf(before: KubernetesObject, proven: KubernetesObject): KubernetesObject {
  const { replicas } = (before['spec'] ?? {}) as { readonly replicas?: number };
  return replicas === undefined ? proven : { ...proven, spec: { ...(proven['spec'] as object), replicas } };
}
