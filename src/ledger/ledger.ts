import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '../kubernetes.ts';

/** The objects of one namespace as they stood when they were seen to work. */
export interface ProvenState {
  /** The run that saw it, as a link where there is one. */
  readonly run: string;
  /** RFC 3339, by the server's clock. */
  readonly at: string;
  /** `soaked`: a run of the gate followed it through its soak. `ready`: found ready by a run that was about to change it. */
  readonly proof: 'soaked' | 'ready';
  readonly objects: readonly KubernetesObject[];
}

/** One step of a rollback, with all that it needs to be taken by another run. */
export type OpenStep =
  | { readonly action: 'restore'; readonly before: KubernetesObject; readonly after: KubernetesObject }
  | { readonly action: 'delete'; readonly after: KubernetesObject };

/** A rollback that was begun, and of which nobody has said yet that it ended. */
export interface OpenRollback {
  readonly run: string;
  readonly at: string;
  readonly steps: readonly OpenStep[];
}

/** What the gate remembers of one namespace across runs. */
export interface Ledger {
  /** The newest first. */
  readonly states: readonly ProvenState[];
  readonly open: OpenRollback | null;
}

export const EMPTY: Ledger = { states: [], open: null };

/** So many proven states are kept. */
const KEPT = 5;

/** The ledger with one more state at its head; the same ledger if its head already says that. */
export function withState(ledger: Ledger, state: ProvenState): Ledger {
  const [head, ...rest] = ledger.states;
  if (head === undefined) return { ...ledger, states: [state] };
  if (!isDeepStrictEqual(byName(head.objects), byName(state.objects)))
    return { ...ledger, states: [state, ...ledger.states].slice(0, KEPT) };
  const says = head.proof === 'soaked' || state.proof === 'ready';
  return says ? ledger : { ...ledger, states: [state, ...rest] };
}

function byName(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const key = ({ kind, metadata }: KubernetesObject) => `${kind}/${metadata.name ?? ''}`;
  return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
