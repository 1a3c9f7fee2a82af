import type { Applied } from '../apply/applied.ts';
import type { Api } from '../cluster/api.ts';
import { GateError } from '../problem.ts';
import { isKept, keptOf } from './kept.ts';
import { type ProvenState, withState } from './ledger.ts';
import { isStamped, stamp } from './stamp.ts';
import { changeLedger } from './store.ts';

export interface Prover {
  readonly api: Api;
  /** The name of the ledgers' Secrets; empty: none is kept. */
  readonly name: string;
  readonly run: string;
}

/**
 * Writes down what a run has just seen to work, as the state that a later rollback may go back to. A deploy that worked never fails for it.
 *
 * @returns what could not be written, in sentences
 */
export async function recordProof(applied: readonly Applied[], prover: Prover): Promise<readonly string[]> {
  if (prover.name === '') return [];
  const at = new Date(prover.api.now()).toISOString();
  const trouble: string[] = [];
  for (const [namespace, objects] of byNamespace(applied)) {
    const state: ProvenState = {
      run: prover.run,
      at,
      proof: 'soaked',
      objects: objects.map((each) => keptOf(each.after)),
    };
    trouble.push(await changeLedger({ ...prover, namespace }, (ledger) => withState(ledger, state)));
  }
  const isWritten = trouble.join('') === '';
  if (isWritten) trouble.push(...(await stampAll(applied, at, prover)));
  const told = trouble.filter((each) => each !== '');
  return told.map((each) => `What was proven by this run is not kept for a later rollback: ${each}`);
}

/** The applied objects whose states are kept, by their namespace. */
export function byNamespace(applied: readonly Applied[]): ReadonlyMap<string, readonly Applied[]> {
  return Map.groupBy(
    applied.filter((each) => isKept(each.after)),
    (each) => each.ref.namespace,
  );
}

async function stampAll(applied: readonly Applied[], at: string, { api, run }: Prover): Promise<readonly string[]> {
  const trouble: string[] = [];
  for (const { after, ref } of applied.filter((each) => isStamped(each.after))) {
    try {
      const resource = await api.resource(ref.apiVersion, ref.kind);
      if (resource !== null) trouble.push(await stamp(after, { at, run }, resource, api));
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      trouble.push(error.message);
    }
  }
  return trouble;
}
