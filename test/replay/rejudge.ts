import type { Recording, RecordingLine } from '../../src/cluster/recording.ts';
import { createStore, type Store } from '../../src/rollout/store.ts';
import type { Target } from '../../src/rollout/target.ts';
import { decisive, type RunVerdict, runVerdict } from '../../src/run-verdict.ts';
import { type Judgement, judge, type Terms } from '../../src/verdict.ts';

/** What a run was following, as its recording says it. */
interface Following {
  readonly targets: readonly Omit<Target, 'positionOf'>[];
  readonly terms: Terms;
}

/** The outcome of a run that was judged again from its recording. */
export interface Rejudged {
  readonly verdict: RunVerdict;
  /** Code of the deciding cause; empty if there is none. */
  readonly cause: string;
  readonly reason: string;
  /** From the apply to the verdict. */
  readonly seconds: number;
  readonly judgement: Judgement;
  /** The codes of all findings that were ever ripe, whether they decided or not. */
  readonly everRipe: readonly string[];
}

/**
 * Judges a recording offline, without a connection and without waiting: the lines are taken in at their times, and between them the clock
 * jumps to whatever moment could change the outcome.
 *
 * @param prepare changes the lines beforehand, e.g. to lose or shuffle some
 */
export function rejudge(
  recording: Recording,
  prepare: (lines: readonly RecordingLine[]) => readonly RecordingLine[] = (lines) => lines,
): Rejudged {
  const startedAt = Date.parse(recording.header.startedAt);
  const begin = recording.lines.findIndex((line) => 'following' in line);
  const first = recording.lines[begin];
  if (first === undefined || !('following' in first))
    throw new Error('the recording says nothing of what was followed: was the run rejected?');
  const following = first.following as Following;
  const targets: readonly Target[] = following.targets.map((target) => ({ ...target, positionOf: () => null }));
  const store = createStore();
  const everRipe = new Set<string>();
  let judgement: Judgement | null = null;
  const look = (now: number) => {
    judgement = judge(targets, judgement, store.view, following.terms, now);
    for (const standing of judgement.standings)
      for (const finding of standing.findings) if (finding.ripe) everRipe.add(finding.code);
    return judgement;
  };
  for (const line of recording.lines.slice(0, begin)) take(store, line, startedAt + line.at);
  look(startedAt + first.at);
  const moments = Map.groupBy(prepare(recording.lines.slice(begin + 1)), (line) => line.at);
  for (const [at, lines] of [...moments].sort(([a], [b]) => a - b)) {
    const now = startedAt + at;
    passTime(look, judgement, now);
    for (const line of lines) take(store, line, now);
    if (look(now).done) break;
  }
  const last = passTime(look, judgement, Number.POSITIVE_INFINITY) ?? look(startedAt + first.at);
  return outcome(last, [...everRipe].sort());
}

function take(store: Store, line: RecordingLine, now: number): void {
  if ('change' in line) store.take(line.change, now);
  if ('lookup' in line) store.learn(line.lookup, line.known);
  if ('forbidden' in line) store.forbid(line.forbidden);
}

/** Lets the clock run up to `until`, stopping wherever the last judgement said that the outcome could change. */
function passTime(look: (now: number) => Judgement, from: Judgement | null, until: number): Judgement | null {
  let judgement = from;
  while (judgement !== null && !judgement.done && judgement.wakeAt < until && Number.isFinite(judgement.wakeAt))
    judgement = look(judgement.wakeAt);
  return judgement;
}

function outcome(judgement: Judgement, everRipe: readonly string[]): Rejudged {
  const standing = decisive(judgement.standings);
  const decision = standing?.decision ?? null;
  const cause =
    decision === null ? '' : 'cause' in decision ? decision.cause.code : 'code' in decision ? decision.code : '';
  const reason = decision !== null && 'cause' in decision ? decision.cause.summary : '';
  const ends = judgement.standings.map((each) => ((each.decision?.at ?? each.target.since) - each.target.since) / 1000);
  const seconds =
    decision === null || standing === null ? Math.max(0, ...ends) : (decision.at - standing.target.since) / 1000;
  return {
    verdict: runVerdict(judgement.standings),
    cause,
    reason,
    seconds: Math.round(seconds * 10) / 10,
    judgement,
    everRipe,
  };
}
