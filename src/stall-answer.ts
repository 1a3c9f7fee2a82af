import path from 'node:path';
import { createRecorder } from './cluster/recorder.ts';
import { factsOf, type Journey, stage } from './journey.ts';
import { type Observing, observe } from './observe.ts';
import { optionTexts } from './option-texts.ts';
import type { Options } from './options.ts';
import { say } from './progress-log.ts';
import type { Report, TimelineEntry } from './report/report.ts';
import type { ReportRollback } from './report/rollback.ts';
import { reasonOf } from './report/workload.ts';
import { rollBack } from './rollback/rollback.ts';
import type { Target } from './rollout/target.ts';
import { decisive, runVerdict } from './run-verdict.ts';
import type { Secrets } from './text/secrets.ts';
import { VERSION } from './version.ts';

interface Outside {
  readonly recording: string;
  readonly run: string;
  readonly secrets: Secrets;
  readonly cancelled: AbortSignal;
  readonly keep: (report: Report) => Promise<void>;
}

/**
 * What `on-stall` asks for, once the report of the stall, or of an apply that was refused half-way, is composed. The evidence is on disk before anything is touched; verdict and cause stay
 * those of the stall, whatever comes of the rollback.
 */
export async function answerStall(
  report: Report,
  observing: Observing,
  outside: Outside,
  journey: Journey,
): Promise<Report> {
  const isStall = report.verdict === 'stalled' || report.verdict === 'timed-out';
  const isHalfDone = report.verdict === 'rejected' && report.changes.some((change) => change.action !== 'unchanged');
  if (journey.options.onStall !== 'rollback' || !(isStall || isHalfDone)) return report;
  const timeline = [...report.timeline];
  const rollback = await stage('result', journey, () => keepAndRollBack(report, timeline, observing, outside, journey));
  const { startedAt, endedAt, requests, notices, stages } = factsOf(journey);
  const durationSeconds = Math.round((endedAt - startedAt) / 100) / 10;
  return { ...report, rollback, timeline, durationSeconds, requests, notices, stages };
}

async function keepAndRollBack(
  report: Report,
  timeline: TimelineEntry[],
  observing: Observing,
  outside: Outside,
  journey: Journey,
): Promise<ReportRollback> {
  const empty = { target: '', objects: [], shortfall: [] };
  if (outside.cancelled.aborted)
    return { outcome: 'refused', reason: 'Nothing was rolled back: the run was cancelled', ...empty };
  const pending =
    'The rollback was begun after this was written. If it still stands here, the run was ended in the middle of it: the next run with on-stall: rollback finishes it first';
  await outside.keep({ ...report, rollback: { outcome: 'failed', reason: pending, ...empty } });
  const { connection, secrets } = observing;
  const { options } = journey;
  const told = await rollBack(journey.applied, {
    api: connection,
    ledger: options.ledger,
    run: outside.run,
    fieldManager: options.fieldManager,
    unstick: options.unstickStatefulSets,
    follow: (targets) => followRestored(targets, timeline, observing, outside, journey),
    tell: (line) => say(line, secrets),
    notice: (text) => {
      journey.notices.add(text);
      say(text, secrets);
    },
  });
  say(`rollback: ${told.outcome}: ${told.reason}`, secrets);
  return { ...told, shortfall: journey.shortfall.result() };
}

/** The restored workloads, judged like any other rollout, with a deadline and a recording of their own. */
async function followRestored(
  targets: readonly Target[],
  timeline: TimelineEntry[],
  observing: Observing,
  outside: Outside,
  journey: Journey,
): Promise<string> {
  if (targets.length === 0) return '';
  const { connection } = observing;
  const recorder = createRecorder({
    file: path.join(path.dirname(outside.recording), 'rollback.ndjson'),
    header: {
      tool: `rollout-gate ${VERSION}`,
      server: connection.version,
      options: optionTexts(journey.options),
    },
    secrets: outside.secrets.values,
    now: connection.now,
  });
  const second: Journey = { ...journey, applied: [], log: null };
  journey.log?.end();
  const begunAt = journey.log === null ? 0 : connection.now() - journey.log.startedAt;
  try {
    const { judgement } = await observe(targets, { ...observing, recorder }, second);
    if (outside.cancelled.aborted) return 'the run was cancelled before they were seen ready';
    if (runVerdict(judgement.standings) === 'succeeded') return '';
    const decided = decisive(judgement.standings);
    return decided === null ? 'what became of them is not known' : reasonOf(decided);
  } finally {
    second.log?.end();
    timeline.push(...(second.log?.timeline() ?? []).map((entry) => afterwards(entry, begunAt)));
    recorder.close();
  }
}

/** @param begunAt milliseconds from the beginning of the first wait to that of the rollback's */
function afterwards(entry: TimelineEntry, begunAt: number): TimelineEntry {
  const at = Math.round(entry.at * 10 + begunAt / 100) / 10;
  return { ...entry, at, text: `rollback: ${entry.text}`, during: 'rollback' };
}

/** A run that lost its cluster on the way rolls nothing back: that what was applied before stays is said plainly. */
export function unrolled(report: Report, options: Options): Report {
  const changed = report.changes.some((change) => change.action !== 'unchanged');
  if (options.onStall !== 'rollback' || !changed) return report;
  const reason = 'A run that breaks off while it follows is not rolled back: what it changed stays';
  return { ...report, rollback: { outcome: 'none', target: '', reason, objects: [], shortfall: [] } };
}
