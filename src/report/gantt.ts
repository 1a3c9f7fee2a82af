import { clip, mermaidText } from '../text/escape.ts';
import type { TimelineEntry } from './report.ts';

/** A time in which nothing worth a bar changed. Seconds since the start of the run. */
interface Bar {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly mark: 'crit' | 'done' | 'active';
}

/** GitHub draws no Mermaid text of more than 50,000 characters, and a person reads no more than this. */
const MOST_SECTIONS = 20;
const MOST_BARS = 7;
/** What takes less of the whole time cannot be seen. */
const LEAST_SHARE = 0.015;
const LONGEST_NAME = 32;

/**
 * The timeline as a Mermaid chart, one section per workload, what went wrong first: how long it stood at how many ready, and what was found
 * then. Times are milliseconds of the run, so that no time zone shows. Empty where there is nothing to draw.
 */
export function gantt(timeline: readonly TimelineEntry[]): string {
  const end = Math.max(0, ...timeline.map(({ at }) => at));
  const groups = [...Map.groupBy(timeline, sectionOf)]
    .sort(([, a], [, b]) => Number(isGood(a)) - Number(isGood(b)))
    .slice(0, MOST_SECTIONS);
  if (groups.length === 0 || end === 0) return '';
  const names = distinct(groups.map(([section]) => section));
  const sections = groups.map(([, entries], index) =>
    [`  section ${names[index]}`, ...linesOf(entries, end)].join('\n'),
  );
  const padding = 20 + 7 * Math.max(...names.map((name) => name.length));
  return [
    '```mermaid',
    `%%{init: {"gantt": {"leftPadding": ${padding}, "barHeight": 18, "topPadding": 30}}}%%`,
    'gantt',
    '  dateFormat x',
    '  axisFormat %M:%S',
    `  tickInterval ${tick(end)}`,
    ...sections,
    '```',
  ].join('\n');
}

function sectionOf({ workload, during }: TimelineEntry): string {
  return `${during} ${workload}`;
}

/** Short names. Two sections of one name would be drawn as one: what is cut to the same is numbered. */
function distinct(sections: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return sections.map((section) => {
    const [during, ...workload] = section.split(' ');
    const name = clip(mermaidText(workload.join(' ')), LONGEST_NAME);
    const told = during === 'rollback' ? `${name}, rollback` : name;
    const count = (seen.get(told) ?? 0) + 1;
    seen.set(told, count);
    return count === 1 ? told : `${told} ${count}`;
  });
}

/** Succeeded in the rollout itself: one bar says it. */
function isGood(entries: readonly TimelineEntry[]): boolean {
  return entries.at(-1)?.verdict === 'succeeded' && entries[0]?.during === 'rollout';
}

function linesOf(entries: readonly TimelineEntry[], end: number): readonly string[] {
  const verdict = entries.find((entry) => entry.verdict !== '');
  const until = verdict?.at ?? end;
  if (verdict !== undefined && isGood(entries))
    return [lineOf({ text: `${verdict.ready} ready`, mark: 'done', from: entries[0]?.at ?? 0, to: until })];
  const bars = fewer(barsOf(entries, until), LEAST_SHARE * end).map(lineOf);
  if (verdict === undefined) return bars;
  const mark = verdict.verdict === 'succeeded' ? 'milestone' : 'milestone, crit';
  return [...bars, `  ${verdict.verdict} :${mark}, ${ms(verdict.at)}, 0ms`];
}

function lineOf({ text, mark, from, to }: Bar): string {
  return `  ${text} :${mark}, ${ms(from)}, ${ms(to)}`;
}

function barsOf(entries: readonly TimelineEntry[], end: number): readonly Bar[] {
  const states = entries.filter((entry) => entry.verdict === '');
  const bars = states.map(({ at, ready, code }, index) => ({
    text: `${ready} ready${code === '' ? '' : ` (${code})`}`,
    from: at,
    to: states[index + 1]?.at ?? end,
    mark: markOf(ready, code),
  }));
  return joined(bars);
}

/** Neighbours that say the same are one. */
function joined(bars: readonly Bar[]): readonly Bar[] {
  return [...bars]
    .filter((bar, index) => bars[index - 1]?.text !== bar.text)
    .map((bar, index, firsts) => ({ ...bar, to: firsts[index + 1]?.from ?? bars.at(-1)?.to ?? bar.to }));
}

/** The shortest is swallowed by the one before it, until none is too short to be seen and they are few. */
function fewer(bars: readonly Bar[], least: number): readonly Bar[] {
  const shortest = bars.reduce<Bar | null>((a, b) => (a === null || length(b) < length(a) ? b : a), null);
  if (shortest === null || bars.length < 2) return bars;
  if (bars.length <= MOST_BARS && length(shortest) >= least) return bars;
  const rest = bars.filter((bar) => bar !== shortest);
  const begun = rest.map((bar, index) => (index === 0 ? { ...bar, from: bars[0]?.from ?? bar.from } : bar));
  const closed = begun.map((bar, index) => ({ ...bar, to: begun[index + 1]?.from ?? bars.at(-1)?.to ?? bar.to }));
  return fewer(joined(closed), least);
}

function length({ from, to }: Bar): number {
  return to - from;
}

function markOf(ready: string, code: string): Bar['mark'] {
  const [have, want] = ready.split('/');
  return code !== '' ? 'crit' : have === want ? 'done' : 'active';
}

/** At most eight ticks, at round times. */
function tick(seconds: number): string {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
  const step = steps.find((each) => seconds / each <= 8) ?? 7200;
  return step < 60 ? `${step}second` : `${step / 60}minute`;
}

function ms(seconds: number): number {
  return Math.round(seconds * 1000);
}
