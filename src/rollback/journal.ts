import type { Applied } from '../apply/applied.ts';
import type { Api } from '../cluster/api.ts';
import { keptOf } from '../ledger/kept.ts';
import { type Ledger, type OpenRollback, type OpenStep, type ProvenState, withState } from '../ledger/ledger.ts';
import { byNamespace } from '../ledger/prove.ts';
import { changeLedger } from '../ledger/store.ts';
import type { Step } from './plan.ts';

export interface Journal {
  readonly api: Api;
  readonly ledger: string;
  readonly run: string;
}

/**
 * Writes down what a rollback is about to do, before it does it, so that another run can finish it; and with it what is known to have been
 * ready before, where nothing better is known.
 *
 * @param unproven the namespaces that go back to this run's own snapshot
 * @returns why it could not be written; empty if it was
 */
export async function openJournal(
  steps: readonly Step[],
  all: readonly Applied[],
  unproven: ReadonlySet<string>,
  { api, ledger: name, run }: Journal,
): Promise<string> {
  const at = new Date(api.now()).toISOString();
  const ready = byNamespace(all.filter((each) => each.before !== null));
  const trouble: string[] = [];
  for (const [namespace, mine] of byLedger(steps)) {
    const open: OpenRollback = { run, at, steps: mine.map(openStep) };
    const before = (ready.get(namespace) ?? []).flatMap((each) => (each.before === null ? [] : [keptOf(each.before)]));
    const snapshot: ProvenState = { run, at, proof: 'ready', objects: before };
    const noted = (ledger: Ledger) => (unproven.has(namespace) ? withState(ledger, snapshot) : ledger);
    trouble.push(await changeLedger({ api, namespace, name }, (ledger) => ({ ...noted(ledger), open })));
  }
  return [...new Set(trouble)].filter((each) => each !== '').join('; ');
}

/** Notes that the rollback has ended, however. @returns why it could not be written; empty if it was */
export async function closeJournal(namespaces: Iterable<string>, { api, ledger: name }: Journal): Promise<string> {
  const trouble: string[] = [];
  for (const namespace of namespaces)
    trouble.push(await changeLedger({ api, namespace, name }, (ledger) => ({ ...ledger, open: null })));
  return trouble.filter((each) => each !== '').join('; ');
}

/** The steps by the namespace of the ledger that they are written in: what lives in no namespace goes with the first. */
export function byLedger(steps: readonly Step[]): ReadonlyMap<string, readonly Step[]> {
  const namespaceOf = (step: Step) => step.object.applied.ref.namespace;
  const first = steps.map(namespaceOf).find((namespace) => namespace !== '') ?? '';
  const written = Map.groupBy(steps, (step) => namespaceOf(step) || first);
  written.delete('');
  return written;
}

function openStep(step: Step): OpenStep {
  const after = keptOf(step.object.applied.after);
  return step.action === 'delete'
    ? { action: 'delete', after }
    : { action: 'restore', before: keptOf(step.before), after };
}
