import { type KubernetesObject, shortName } from './kubernetes.ts';
import { follow } from './rollout/kinds.ts';
import type { Progress } from './rollout/progress.ts';
import type { Look, Rollout } from './rollout/rollout.ts';
import { lookupKey } from './rollout/store.ts';
import type { Target } from './rollout/target.ts';
import { advance, startTrack, type Track } from './rollout/track.ts';
import type { Lookup, View } from './rollout/view.ts';
import { findings, weighOne } from './stall/engine.ts';
import type { Finding, Patience, StallCode } from './stall/finding.ts';
import { clockFinding } from './stall/last-resort.ts';
import { containersOf, type Scene } from './stall/scene.ts';

/** The outcome of one workload. `undecided`: the wait ended for another reason before it was known. */
export type Decision =
  | { readonly verdict: 'succeeded'; readonly at: number }
  | { readonly verdict: 'stalled'; readonly at: number; readonly cause: Finding }
  | {
      readonly verdict: 'timed-out';
      readonly at: number;
      readonly cause: Finding;
      readonly clock: 'progress' | 'controller' | 'timeout';
    }
  | { readonly verdict: 'superseded'; readonly at: number; readonly code: StallCode; readonly detail: string }
  | { readonly verdict: 'undecided'; readonly at: number };

/** What the judgement must know besides the view. Times in milliseconds. */
export interface Terms {
  readonly patience: Patience;
  readonly stableForMs: number;
  /** null: derived from the deadlines of the workloads. */
  readonly timeoutMs: number | null;
  /** The moment from which `timeout` counts, by the server's clock. */
  readonly startedAt: number;
  /** The objects of the same apply. */
  readonly applied: readonly KubernetesObject[];
}

/** One target at one moment. */
export interface Standing {
  readonly target: Target;
  readonly rollout: Rollout;
  readonly track: Track;
  readonly findings: readonly Finding[];
  /** null: still undecided. Once made, a decision stands. */
  readonly decision: Decision | null;
  /** When the no-progress clock runs out. */
  readonly deadlineAt: number;
}

export interface Judgement {
  readonly standings: readonly Standing[];
  /** Reads that a rule asked for, known or not, so that stale ones can be done again. */
  readonly wanted: readonly Lookup[];
  /** The earliest moment at which the outcome could change although the view does not. */
  readonly wakeAt: number;
  readonly timeoutAt: number;
  readonly done: boolean;
}

/** For kinds that know no progress deadline, and no `timeout` was given. */
const DEFAULT_DEADLINE_MS = 600_000;
const LEAST_TIMEOUT_MS = 600_000;
/** After the first stall the others may still come to their own end for so long, so that each has its verdict. */
const GRACE_MS = 15_000;
/** A workload that made no progress for so long is not what another one waits for. */
const COMING_UP_MS = 60_000;

/**
 * Judges all targets as of now. Pure: the same view, the same earlier judgement and the same time give the same result.
 *
 * @param before the judgement before this one; null for the first
 * @param now milliseconds since the epoch by the server's clock
 */
export function judge(
  targets: readonly Target[],
  before: Judgement | null,
  view: View,
  terms: Terms,
  now: number,
): Judgement {
  const wanted = new Map<string, Lookup>();
  const look: Look = (lookup) => {
    wanted.set(lookupKey(lookup), lookup);
    return view.lookup(lookup);
  };
  const moved = targets.map((target, index) => move(target, before?.standings[index] ?? null, view, look, now));
  const timeoutAt = terms.startedAt + (terms.timeoutMs ?? derivedTimeout(moved, terms));
  const judged = moved.map((standing) => {
    if (standing.decision !== null) return standing;
    return decide(standing, sceneOf(standing, moved, view, look, terms, now), terms, timeoutAt, now);
  });
  const standings = closeAfterStall(judged, now);
  return {
    standings,
    wanted: [...wanted.values()],
    wakeAt: wakeTime(standings, terms, timeoutAt, now),
    timeoutAt,
    done: standings.every((standing) => standing.decision !== null),
  };
}

/** The rollout as it now stands, with its clocks moved on. */
function move(target: Target, before: Standing | null, view: View, look: Look, now: number): Standing {
  if (before !== null && before.decision !== null) return before;
  const rollout = follow(target, view, look);
  const track = advance(before?.track ?? startTrack(rollout, target.since), rollout, now);
  return { target, rollout, track, findings: [], decision: null, deadlineAt: Number.POSITIVE_INFINITY };
}

/** What the families and the signals look at, for one target. */
export function sceneOf(
  standing: Standing,
  all: readonly Standing[],
  view: View,
  look: Look,
  terms: Terms,
  now: number,
): Scene {
  const { target, rollout, track } = standing;
  const others = all.filter((other) => other !== standing && isComingUp(other, now));
  return {
    target,
    rollout,
    view,
    look,
    now,
    track,
    othersComingUp: others.map((other) => shortName(other.target.ref)),
    applied: terms.applied,
    containers: containersOf(rollout, target, view),
  };
}

/** Whether another workload may still turn into what this one waits for. */
function isComingUp(standing: Standing, now: number): boolean {
  const { progress } = standing.rollout;
  if (standing.decision !== null || progress.phase !== 'progressing' || standing.rollout.creator === null) return false;
  return isAtWork(standing) || now - standing.track.lastProgressAt < COMING_UP_MS;
}

/** A Job's progress shows only at its end: while one of its pods runs, it is at work. */
function isAtWork({ target, rollout }: Standing): boolean {
  return target.ref.kind === 'Job' && rollout.pods.some((pod) => pod.status?.phase === 'Running');
}

function decide(standing: Standing, scene: Scene, terms: Terms, timeoutAt: number, now: number): Standing {
  const { progress } = standing.rollout;
  const found = progress.phase === 'superseded' ? [] : findings(scene, terms.patience);
  const deadlineAt = standing.track.lastProgressAt + deadlineMs(standing.rollout, terms);
  const decision = decisionOf(progress, found, standing.track, scene, terms, deadlineAt, timeoutAt, now);
  return { ...standing, findings: found, deadlineAt, decision };
}

function decisionOf(
  progress: Progress,
  found: readonly Finding[],
  track: Track,
  scene: Scene,
  terms: Terms,
  deadlineAt: number,
  timeoutAt: number,
  now: number,
): Decision | null {
  if (progress.phase === 'superseded') {
    return { verdict: 'superseded', at: now, code: supersededCode(progress), detail: progress.superseded.detail };
  }
  // While everything is ready and available nothing is stalled, whatever the past of its pods looks like.
  const ripe = progress.phase === 'complete' ? undefined : found.find((finding) => finding.ripe);
  if (ripe !== undefined) return { verdict: 'stalled', at: now, cause: ripe };
  // A Job that is complete stays so: there is nothing left that could restart.
  const soakMs = scene.target.ref.kind === 'Job' ? 0 : terms.stableForMs;
  if (progress.phase === 'complete' && track.completeSince !== null && now - track.completeSince >= soakMs) {
    return { verdict: 'succeeded', at: now };
  }
  const timedOut = (clock: 'progress' | 'controller' | 'timeout'): Decision => {
    const cause = found[0] ?? weighOne(clockFinding(scene, clock === 'controller'), scene);
    return { verdict: 'timed-out', at: now, cause, clock };
  };
  if (now >= timeoutAt) return timedOut('timeout');
  if (progress.phase === 'complete') return null;
  if (progress.deadlineExceeded) return timedOut('controller');
  return now >= deadlineAt ? timedOut('progress') : null;
}

function supersededCode(progress: Extract<Progress, { phase: 'superseded' }>): StallCode {
  if (progress.superseded.by === 'paused') return 'Paused';
  return progress.superseded.by === 'suspended' ? 'JobSuspended' : 'Superseded';
}

function deadlineMs(rollout: Rollout, terms: Terms): number {
  if (rollout.deadlineSeconds !== null) return rollout.deadlineSeconds * 1000;
  return terms.timeoutMs ?? DEFAULT_DEADLINE_MS;
}

/** The largest deadline of the workloads plus the soak, at least ten minutes. */
function derivedTimeout(standings: readonly Standing[], terms: Terms): number {
  const deadlines = standings.map((standing) => deadlineMs(standing.rollout, terms));
  return Math.max(LEAST_TIMEOUT_MS, ...deadlines) + terms.stableForMs;
}

/** One stall decides the run: what is still open then has a short grace, and is left undecided after it. */
function closeAfterStall(standings: readonly Standing[], now: number): readonly Standing[] {
  const end = graceEnd(standings);
  if (end === null || now < end) return standings;
  return standings.map((standing) =>
    standing.decision === null ? { ...standing, decision: { verdict: 'undecided', at: now } } : standing,
  );
}

function graceEnd(standings: readonly Standing[]): number | null {
  const failed = standings
    .map((standing) => standing.decision)
    .filter((each) => each?.verdict === 'stalled' || each?.verdict === 'timed-out');
  const first = Math.min(...failed.map((decision) => decision?.at ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(first) ? first + GRACE_MS : null;
}

function wakeTime(standings: readonly Standing[], terms: Terms, timeoutAt: number, now: number): number {
  const open = standings.filter((standing) => standing.decision === null);
  const times = open.flatMap((standing) => [
    standing.deadlineAt,
    ...(standing.track.completeSince === null ? [] : [standing.track.completeSince + terms.stableForMs]),
    ...standing.findings.map((finding) => finding.ripensAt ?? Number.POSITIVE_INFINITY),
  ]);
  const grace = graceEnd(standings);
  return Math.min(timeoutAt, grace ?? Number.POSITIVE_INFINITY, ...times.filter((time) => time > now));
}
