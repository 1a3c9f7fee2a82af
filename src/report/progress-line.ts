import type { StallCode } from '../stall/finding.ts';
import { clip } from '../text/escape.ts';
import type { Decision, Judgement, Standing } from '../verdict.ts';

/** One short line on a workload, with both clocks; equal as long as nothing worth a line has changed. */
export interface ProgressLine {
  readonly workload: string;
  /** What changed: a new line is due when this does. */
  readonly state: string;
  /** The whole line. */
  readonly text: string;
  /** `4/6`. */
  readonly ready: string;
  /** The finding that matters most now; empty if there is none. */
  readonly code: StallCode | '';
  /** Empty as long as the workload is undecided. */
  readonly verdict: Decision['verdict'] | '';
}

/** How the workload stands, for the log. @param now milliseconds since the epoch by the server's clock */
export function progressLine(standing: Standing, judgement: Judgement, startedAt: number, now: number): ProgressLine {
  const { kind, name, namespace } = standing.target.ref;
  const workload = `${kind}/${name}${namespace === '' ? '' : ` in ${namespace}`}`;
  const state = stateText(standing);
  const { decision, rollout } = standing;
  return {
    workload,
    ready: `${rollout.progress.counts.ready}/${rollout.progress.counts.desired}`,
    code: decision === null ? (standing.findings[0]?.code ?? '') : 'cause' in decision ? decision.cause.code : '',
    verdict: decision?.verdict ?? '',
    state: state.replace(/\d+ s\b/g, ''),
    text: `${state}${clocks(standing, judgement, startedAt, now)}`,
  };
}

function stateText(standing: Standing): string {
  const { decision, rollout, track } = standing;
  const { counts } = rollout.progress;
  const ready = `${counts.ready}/${counts.desired} ready`;
  if (decision !== null) return `${ready}: ${decision.verdict}${'cause' in decision ? `, ${decision.cause.code}` : ''}`;
  const lost = track.breaks.length === 0 ? '' : ` (complete before, lost it ${track.breaks.length}×)`;
  if (rollout.progress.phase === 'complete') return `${ready}, complete: watching that it stays so${lost}`;
  const finding = standing.findings[0];
  const seen = finding === undefined ? '' : `; ${finding.code}: ${clip(finding.summary, 160)}`;
  return `${ready}, ${rollout.progress.message}${lost}${seen}`;
}

function clocks(standing: Standing, judgement: Judgement, startedAt: number, now: number): string {
  const run = `run ${seconds(now - startedAt)} of ${seconds(judgement.timeoutAt - startedAt)}`;
  if (standing.decision !== null) return ` [${run}]`;
  if (standing.track.completeSince !== null)
    return ` [stable for ${seconds(now - standing.track.completeSince)}, ${run}]`;
  const deadline = Number.isFinite(standing.deadlineAt) ? standing.deadlineAt - standing.track.lastProgressAt : 0;
  return ` [no progress for ${seconds(now - standing.track.lastProgressAt)} of ${seconds(deadline)}, ${run}]`;
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
