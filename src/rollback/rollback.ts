import type { Applied } from '../apply/applied.ts';
import type { Api } from '../cluster/api.ts';
import { shortName } from '../kubernetes.ts';
import { diff } from '../plan/diff.ts';
import { GateError } from '../problem.ts';
import type { ReportRollback, RollbackObject } from '../report/rollback.ts';
import { isFollowed } from '../rollout/kinds.ts';
import type { Target } from '../rollout/target.ts';
import { type Done, rehearse, take } from './carry-out.ts';
import { type Kept, planRollback, type Surveyed } from './plan.ts';
import { survey } from './survey.ts';

/** What a rollback needs besides the objects. */
export interface RollbackOutside {
  readonly api: Api;
  readonly fieldManager: string;
  /** Follows the restored workloads to their end. @returns why they did not become ready; empty if they did */
  readonly follow: (targets: readonly Target[]) => Promise<string>;
  readonly tell: (line: string) => void;
}

/**
 * Brings what this run changed back to how it was before: decided for all objects before the first is touched, each step guarded, the result
 * followed. It is never repeated.
 *
 * @param all what this run applied, in order
 */
export async function rollBack(all: readonly Applied[], outside: RollbackOutside): Promise<ReportRollback> {
  try {
    return await decide(all, outside);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return untouched('refused', `Nothing was rolled back: ${error.message}`, all);
  }
}

async function decide(all: readonly Applied[], outside: RollbackOutside): Promise<ReportRollback> {
  const { api, tell } = outside;
  const plan = planRollback(await survey(all, api));
  if (plan.outcome !== 'go') return untouched(plan.outcome, plan.reason, all);
  if (plan.steps.length === 0)
    return untouched(
      'refused',
      'Nothing was rolled back: all that this run changed is of kinds that are never rolled back',
      all,
    );
  const objections = await rehearse(plan.steps, api);
  if (objections.length > 0)
    return untouched(
      'refused',
      `Nothing was rolled back: the server would not take it back: ${objections.join('; ')}`,
      all,
    );
  const done: Done[] = [];
  for (const step of plan.steps) {
    const taken = await attempt(step, outside);
    done.push(taken);
    tell(
      `rollback: ${taken.problem === '' ? step.action : 'stopped at'} ${shortName(step.object.applied.ref)} ${taken.problem}`,
    );
    if (taken.problem !== '') break;
  }
  const open = plan.steps.slice(done.length).map((step) => step.object);
  const objects = told(done, plan.kept, open);
  const stopped = done.find((each) => each.problem !== '');
  if (stopped !== undefined) return broken(stopped, done, objects);
  return followed(done, objects, plan.kept, outside);
}

/** A connection that breaks in the middle is the end of the rollback, and told; it must not hide what was done until then. */
async function attempt(step: Done['step'], { api, fieldManager }: RollbackOutside): Promise<Done> {
  try {
    return await take(step, api, fieldManager);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const problem = `${shortName(step.object.applied.ref)}: ${error.message}; whether it was changed is not known`;
    return { step, restored: null, changed: true, problem };
  }
}

function broken(stopped: Done, done: readonly Done[], objects: readonly RollbackObject[]): ReportRollback {
  if (done.every((each) => !each.changed))
    return { outcome: 'refused', reason: `Nothing was rolled back: ${stopped.problem}`, objects };
  return {
    outcome: 'failed',
    reason: `The rollback stopped half-way: ${stopped.problem}. What is restored and what is not stands below; apply the manifest of the state that you want`,
    objects,
  };
}

async function followed(
  done: readonly Done[],
  objects: readonly RollbackObject[],
  kept: readonly Kept[],
  outside: RollbackOutside,
): Promise<ReportRollback> {
  const why = await outside.follow(targetsOf(done, outside));
  if (why !== '')
    return {
      outcome: 'failed',
      reason: `All was restored, but did not become ready again: ${why}. It is not tried again`,
      objects,
    };
  const restored = done.filter((each) => each.step.action === 'restore').length;
  const deleted = done.length - restored;
  const rest = kept.length === 0 ? '' : `, ${kept.length} kept`;
  return {
    outcome: 'rolled-back',
    reason: `The cluster is as it was before this run, and ready: ${restored} restored, ${deleted} deleted${rest}. The deploy itself failed`,
    objects,
  };
}

function targetsOf(done: readonly Done[], { api, fieldManager }: RollbackOutside): readonly Target[] {
  return done.flatMap(({ step, restored }): Target[] => {
    if (restored === null || !isFollowed(restored)) return [];
    const { ref, after } = step.object.applied;
    return [
      {
        ref,
        desired: restored,
        before: after,
        action: 'changed',
        changes: diff(after, restored),
        since: api.now(),
        fieldManager,
        positionOf: () => null,
      },
    ];
  });
}

function untouched(outcome: 'none' | 'refused', reason: string, all: readonly Applied[]): ReportRollback {
  const touched = all.filter((each) => each.action !== 'unchanged');
  return { outcome, reason, objects: touched.map((applied) => objectOf(applied, 'left', '', null)) };
}

function told(done: readonly Done[], kept: readonly Kept[], open: readonly Surveyed[]): readonly RollbackObject[] {
  return [
    ...done.map(({ step, restored, problem }) => {
      const finished = step.action === 'restore' ? ('restored' as const) : ('deleted' as const);
      const isBack = problem === '' || restored !== null;
      return objectOf(step.object.applied, isBack ? finished : 'left', problem, restored);
    }),
    ...open.map(({ applied }) => objectOf(applied, 'left', 'not reached', null)),
    ...kept.map(({ object, why }) => objectOf(object.applied, 'kept', why, null)),
  ];
}

function objectOf(
  applied: Applied,
  action: RollbackObject['action'],
  detail: string,
  restored: Done['restored'],
): RollbackObject {
  const { kind, name, namespace } = applied.ref;
  const back = new Map((restored === null ? [] : diff(applied.after, restored)).map((each) => [each.path, each.to]));
  const fields = applied.changes.map(({ path, from, to }) => ({
    path,
    before: from ?? null,
    attempted: to ?? null,
    after: (back.has(path) ? back.get(path) : to) ?? null,
  }));
  return { kind, name, namespace, action, detail, fields };
}
