import type { Api } from '../cluster/api.ts';
import { type KubernetesObject, shortName } from '../kubernetes.ts';
import { applyRequest } from '../plan/apply-request.ts';
import { diff } from '../plan/diff.ts';
import { readLive } from '../plan/dry-run.ts';
import { isFoundation } from '../plan/order.ts';
import type { Plan, Planned, PlanOptions } from '../plan/planned.ts';
import { refusalProblems } from '../plan/refusal.ts';
import { isDefinition } from '../plan/resources.ts';
import { GateError, type Problem } from '../problem.ts';
import { isUnowned } from './adopt.ts';
import type { Applied } from './applied.ts';
import { established } from './established.ts';
import { patiently } from './patience.ts';
import { recheck } from './recheck.ts';
import { takeOver } from './take-over.ts';

/**
 * Applies the plan, object by object, in its order. Each object's state before is kept. What could not be checked before (its namespace or
 * kind is new) is checked once the namespaces and definitions are there, before anything else is applied.
 *
 * @param onApplied told of each object as soon as the server has taken it
 * @throws GateError if an object is refused; it names what had been applied by then, and what had not
 */
export async function apply(
  plan: Plan,
  api: Api,
  options: PlanOptions,
  onApplied: (applied: Applied) => void,
): Promise<readonly Applied[]> {
  const done: Applied[] = [];
  const taken = (applied: Applied) => {
    done.push(applied);
    onApplied(applied);
  };
  const foundations = plan.objects.filter((each) => isFoundation(each.ref));
  const rest = plan.objects.filter((each) => !isFoundation(each.ref));
  try {
    for (const planned of foundations) await applyOne(planned, api, options, taken);
    await allServed(done, foundations, api);
    for (const planned of await recheck(rest, api, options)) await applyOne(planned, api, options, taken);
  } catch (error) {
    if (error instanceof GateError) throw interrupted(error, done, plan);
    throw error;
  }
  return done;
}

async function applyOne(
  planned: Planned,
  api: Api,
  options: PlanOptions,
  taken: (applied: Applied) => void,
): Promise<void> {
  const { document, ref, resource } = planned;
  const before = await readBefore(planned, api);
  if (before !== null) await takeOver(before, resource, api, options.fieldManager);
  const forced = { ...options, forceConflicts: options.forceConflicts || (before !== null && isUnowned(before)) };
  const answer = await patiently(() =>
    api.request(applyRequest(resource, ref.namespace, document.object, forced, false)),
  );
  if (!answer.ok) throw new GateError(refusalProblems(document, answer.failure, before));
  taken(appliedOf(planned, before, answer.body as KubernetesObject, api.now()));
}

/** The server takes in several definitions at a time: they are waited for together. */
async function allServed(done: readonly Applied[], foundations: readonly Planned[], api: Api): Promise<void> {
  const resources = new Map(foundations.map((planned) => [planned.ref, planned.resource]));
  await Promise.all(
    done.map(async ({ ref, after }) => {
      const resource = resources.get(ref);
      if (resource !== undefined && isDefinition(after)) await established(after, resource, api);
    }),
  );
}

/** The object right before our apply: what the plan read may be old by now. Where nothing is to change, it cannot matter. */
async function readBefore(
  { document, resource, ref, live, action }: Planned,
  api: Api,
): Promise<KubernetesObject | null> {
  if (live === null || action === 'keep') return live;
  const answer = await readLive(api, resource, ref);
  if ('failure' in answer) throw new GateError(refusalProblems(document, answer.failure, live));
  return answer.object;
}

function appliedOf(
  planned: Planned,
  before: KubernetesObject | null,
  after: KubernetesObject,
  appliedAt: number,
): Applied {
  const changes = diff(before, after);
  const changed = before !== null && changes.length === 0 ? 'unchanged' : 'changed';
  const action = before === null ? 'created' : changed;
  return { ref: planned.ref, source: planned.document.source, action, changes, before, after, appliedAt };
}

/** The same error, with what was and what was not applied by then. */
function interrupted(error: GateError, done: readonly Applied[], plan: Plan): GateError {
  const names = (refs: readonly { readonly ref: Planned['ref'] }[]) =>
    refs.map(({ ref }) => (ref.namespace === '' ? shortName(ref) : `${shortName(ref)} in ${ref.namespace}`)).join(', ');
  const changed = done.filter((applied) => applied.action !== 'unchanged');
  const finished = new Set(done.map((applied) => applied.ref));
  const open = plan.objects.filter((planned) => !finished.has(planned.ref));
  const message = `The apply stopped after ${done.length} of ${plan.objects.length} objects. Changed: ${names(changed) || 'nothing'}. Not applied, or without an answer: ${names(open) || 'none'}`;
  const problems: readonly Problem[] = [...error.problems, { message, position: null }];
  return new GateError(problems, { cause: error });
}
