import type { Applied } from '../apply/applied.ts';
import { shortName } from '../kubernetes.ts';
import { diff } from '../plan/diff.ts';
import { GateError } from '../problem.ts';
import type { ReportRollback, RollbackObject } from '../report/rollback.ts';
import { isFollowed } from '../rollout/kinds.ts';
import type { Target } from '../rollout/target.ts';
import type { Turned } from './aim.ts';
import { type Done, rehearse, take } from './carry-out.ts';
import { byLedger, closeJournal, type Journal, openJournal } from './journal.ts';
import { type Kept, planRollback, type Step, type Surveyed } from './plan.ts';
import { survey } from './survey.ts';
import { type Aims, takeAim } from './take-aim.ts';
import { release, releaseCommand, trappedPods } from './trapped.ts';

/** What a rollback needs besides the objects. */
export interface RollbackOutside extends Journal {
  readonly fieldManager: string;
  /** Whether pods that hold a StatefulSet up may be deleted. */
  readonly unstick: boolean;
  /** Follows the restored workloads to their end. @returns why they did not become ready; empty if they did */
  readonly follow: (targets: readonly Target[]) => Promise<string>;
  readonly tell: (line: string) => void;
  /** Told of what a person should know, and what does not stop the rollback. */
  readonly notice: (text: string) => void;
}

/** What a rollback came to; for how long replicas were missing is known to who followed them. */
export type Outcome = Omit<ReportRollback, 'shortfall'>;

/**
 * Brings what this run changed back to how it was before: decided for all objects before the first is touched, each step guarded, the result
 * followed. It is never repeated.
 *
 * @param all what this run applied, in order
 */
export async function rollBack(all: readonly Applied[], outside: RollbackOutside): Promise<Outcome> {
  try {
    return await decide(all, outside);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return untouched('refused', `Nothing was rolled back: ${error.message}`, all, '');
  }
}

async function decide(all: readonly Applied[], outside: RollbackOutside): Promise<Outcome> {
  const aims = await takeAim(all, outside);
  const plan = planRollback(await survey(aims.objects, outside.api));
  if (plan.outcome !== 'go') return untouched(plan.outcome, plan.reason, all, aims.target);
  if (plan.steps.length === 0)
    return refused('all that this run changed is of kinds that are never rolled back', all, aims);
  const objections = await rehearse(plan.steps, outside.api);
  if (objections.length > 0) return refused(`the server would not take it back: ${objections.join('; ')}`, all, aims);
  const trouble = await openJournal(plan.steps, all, aims.unproven, outside);
  if (trouble !== '')
    outside.notice(`If this run ends in the middle of the rollback, no other run can finish it: ${trouble}`);
  const told = await carryOut(plan.steps, plan.kept, outside);
  const unclosed = trouble === '' ? await closeJournal(byLedger(plan.steps).keys(), outside) : '';
  if (unclosed !== '') outside.notice(`The next run will go through this rollback once more: ${unclosed}`);
  return { ...told, target: aims.target };
}

async function carryOut(steps: readonly Step[], kept: readonly Kept[], outside: RollbackOutside): Promise<Told> {
  const done: Done[] = [];
  for (const step of steps) {
    const taken = await attempt(step, outside);
    done.push(taken);
    outside.tell(
      `rollback: ${taken.problem === '' ? step.action : 'stopped at'} ${shortName(step.object.applied.ref)} ${taken.problem}`,
    );
    if (taken.problem !== '') break;
  }
  const open = steps.slice(done.length).map((step) => step.object);
  const objects = told(done, kept, open);
  const stopped = done.find((each) => each.problem !== '');
  if (stopped !== undefined) return broken(stopped, done, objects);
  return followed(done, objects, kept, outside);
}

/** What came of it, without what it aimed at. */
type Told = Omit<Outcome, 'target'>;

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

function broken(stopped: Done, done: readonly Done[], objects: readonly RollbackObject[]): Told {
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
): Promise<Told> {
  const trapped = await untrap(done, outside);
  if (trapped !== '') return { outcome: 'failed', reason: `All was restored, but ${trapped}`, objects };
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
    reason: `The cluster is back at what worked, and ready: ${restored} restored, ${deleted} deleted${rest}. The deploy itself failed`,
    objects,
  };
}

/** @returns why a StatefulSet cannot come back, with what to do; empty if nothing holds any up */
async function untrap(done: readonly Done[], { api, unstick, tell }: RollbackOutside): Promise<string> {
  const restored = done.flatMap((each) => (each.restored === null ? [] : [each.restored]));
  const trapped = await trappedPods(restored, api);
  if (trapped.length === 0) return '';
  if (!unstick)
    return `${trapped.map((pod) => `${pod.set} is held up by Pod/${pod.name}`).join(', ')}, of the failed revision: its controller replaces no pod before every pod is ready. Run: ${trapped.map(releaseCommand).join(' && ')} (or set unstick-statefulsets: true)`;
  const problems: string[] = [];
  for (const pod of trapped) {
    problems.push(await release(pod, api));
    tell(`rollback: deleted Pod/${pod.name}, which held up ${pod.set}`);
  }
  return problems.filter((each) => each !== '').join('; ');
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

function refused(why: string, all: readonly Applied[], aims: Aims): Outcome {
  return untouched('refused', `Nothing was rolled back: ${why}`, all, aims.target);
}

function untouched(outcome: 'none' | 'refused', reason: string, all: readonly Applied[], target: string): Outcome {
  const touched = all.filter((each) => each.action !== 'unchanged');
  const objects = touched.map((applied) => objectOf(applied, 'left', '', null));
  return { outcome, target: outcome === 'none' ? '' : target, reason, objects };
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
  applied: Turned,
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
