import * as core from '@actions/core';
import { type ProgressLine, progressLine } from './report/progress-line.ts';
import type { TimelineEntry } from './report/report.ts';
import { clip, logLine } from './text/escape.ts';
import { redactText } from './text/redact.ts';
import type { Secrets } from './text/secrets.ts';
import type { Judgement } from './verdict.ts';

/** With a judgement every ten seconds at the latest, the log is never silent for more than thirty. */
const SILENCE_MS = 20_000;
const LONGEST_LINE = 400;

/** Prints how the workloads come along, a line for each change, in a group per workload. */
export interface ProgressLog {
  /** Milliseconds since the epoch by the server's clock. */
  readonly startedAt: number;
  readonly take: (judgement: Judgement, now: number) => void;
  readonly end: () => void;
  readonly timeline: () => readonly TimelineEntry[];
}

/** Prints one line of the log, safely. */
export function say(text: string, secrets: Secrets): void {
  core.info(clip(logLine(redactText(text, secrets.values())), LONGEST_LINE));
}

/** A warning that belongs to no line of a file, safely. */
export function warn(text: string, secrets: Secrets): void {
  core.warning(clip(logLine(redactText(text, secrets.values())), LONGEST_LINE), { title: 'Rollout Gate' });
}

/**
 * @param startedAt milliseconds since the epoch by the server's clock
 * @param onLines told of the present line of every workload, at each judgement
 */
export function createProgressLog(
  startedAt: number,
  secrets: Secrets,
  onLines: (lines: readonly ProgressLine[]) => void,
): ProgressLog {
  const shown = new Map<string, { readonly state: string; readonly at: number }>();
  const timeline: TimelineEntry[] = [];
  let group = '';

  function print(line: ProgressLine, now: number): void {
    if (group !== line.workload) {
      if (group !== '') core.endGroup();
      core.startGroup(logLine(line.workload));
      group = line.workload;
    }
    say(`${((now - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line.text}`, secrets);
  }

  return {
    startedAt,
    take: (judgement, now) => {
      const lines = judgement.standings.map((standing) => ({
        standing,
        line: progressLine(standing, judgement, startedAt, now),
      }));
      onLines(lines.map(({ line }) => line));
      const quietSince = Math.max(startedAt, ...[...shown.values()].map((each) => each.at));
      for (const { standing, line } of lines) {
        const before = shown.get(line.workload);
        const changed = before?.state !== line.state;
        const overdue = now - quietSince >= SILENCE_MS && standing.decision === null;
        if (!changed && !overdue) continue;
        if (changed) timeline.push(entryOf(line, Math.round((now - startedAt) / 100) / 10));
        shown.set(line.workload, { state: line.state, at: now });
        print(line, now);
      }
    },
    end: () => {
      if (group !== '') core.endGroup();
      group = '';
    },
    timeline: () => timeline.slice(0, 200),
  };
}

function entryOf({ workload, state, ready, code, verdict }: ProgressLine, at: number): TimelineEntry {
  return { at, workload, text: state, ready, code, verdict, during: 'rollout' };
}
