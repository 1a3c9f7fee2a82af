import { isDeepStrictEqual } from 'node:util';
import { type KubernetesObject, refOf } from '../kubernetes.ts';
import { keptOf } from '../ledger/kept.ts';
import type { OpenRollback, OpenStep } from '../ledger/ledger.ts';
import { readLedger } from '../ledger/store.ts';
import { GateError } from '../problem.ts';
import type { Aimed } from './aim.ts';
import { isBack, take } from './carry-out.ts';
import { closeJournal, type Journal } from './journal.ts';
import type { Step, Surveyed } from './plan.ts';
import { survey } from './survey.ts';

export interface Finishing extends Journal {
  readonly fieldManager: string;
}

/**
 * Finishes the rollbacks that an earlier run began in these namespaces and did not end: each step is taken again as it was decided then, guarded
 * as ever. What somebody else has changed since is left alone. The restored workloads are not followed here.
 *
 * @returns what was found and done, in sentences; none if nothing was open, or if no ledger can be read
 */
export async function finishInterrupted(namespaces: Iterable<string>, outside: Finishing): Promise<readonly string[]> {
  const told: string[] = [];
  if (outside.ledger === '') return told;
  for (const namespace of namespaces) {
    const { ledger } = await readLedger({ api: outside.api, namespace, name: outside.ledger });
    if (ledger.open !== null) told.push(await finish(ledger.open, namespace, outside));
  }
  return told;
}

async function finish(open: OpenRollback, namespace: string, outside: Finishing): Promise<string> {
  const { api, fieldManager } = outside;
  const begun = `The rollback that ${open.run} began at ${open.at} in ${namespace} had not ended`;
  try {
    const problems: string[] = [];
    let count = 0;
    for (const surveyed of await survey(open.steps.map(aimedOf), api)) {
      const step = stepOf(surveyed);
      if (step === null || isDone(step)) continue;
      const { problem, changed } = await take(step, api, fieldManager);
      if (changed) count += 1;
      if (problem !== '') problems.push(problem);
    }
    problems.push(await closeJournal([namespace], outside));
    const left = problems.filter((each) => each !== '');
    const done =
      count === 0
        ? 'nothing of it was left to do'
        : `it was finished: ${count} of ${open.steps.length} objects were still to be brought back`;
    return left.length === 0 ? `${begun}: ${done}` : `${begun}: ${done}; not brought back: ${left.join('; ')}`;
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return `${begun}, and could not be finished: ${error.message}`;
  }
}

function aimedOf(step: OpenStep): Aimed {
  const { after } = step;
  const before = step.action === 'restore' ? step.before : null;
  const action = before === null ? 'created' : 'changed';
  return { applied: { ref: refOf(after), action, changes: [], before, after }, proven: true, stays: '' };
}

/** The step as the plan would have it now: what was to be removed and is in use by now stays. */
function stepOf(object: Surveyed): Step | null {
  const { before } = object.applied;
  if (before !== null) return { action: 'restore', object, before };
  if (object.live === null || object.usedBy !== '') return null;
  return { action: 'delete', object };
}

/** Whether the object is back already, its owners included. */
function isDone(step: Step): boolean {
  const { live } = step.object;
  if (!isBack(step, live)) return false;
  if (step.action === 'delete' || live === null) return true;
  return isDeepStrictEqual(ownersOf(live), ownersOf(step.before));
}

function ownersOf(object: KubernetesObject): unknown {
  const entries = (keptOf(object).metadata.managedFields ?? []).filter((entry) => (entry.subresource ?? '') === '');
  return entries.map(({ time: _time, ...entry }) => entry);
}
