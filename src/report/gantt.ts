import { clip, mermaidText } from '../text/escape.ts';
import type { TimelineEntry } from './report.ts';

/** A time in which nothing worth a bar changed. Seconds since the start of the run. */
interface Bar {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly mark: 'crit' | 'done' | 'active';
}

/** More bars in a picture are not read; GitHub draws no Mermaid text of more than 50,000 characters. */
const MOST_SECTIONS = 12;
const MOST_BARS = 7;
const LONGEST_NAME = 32;

/**
 * The timeline as a Mermaid chart, one section per workload: how long it stood at how many ready, and what was found then. Times are milliseconds
 * of the run, so that no time zone shows. Empty where there is nothing to draw.
 */
export function gantt(timeline: readonly TimelineEntry[]): string {
  const end = Math.max(0, ...timeline.map(({ at }) => at));
  const groups = [...Map.groupBy(timeline, sectionOf)].slice(0, MOST_SECTIONS);
  if (groups.length === 0 || end === 0) return '';
  const sections = groups.map(([name, entries]) => [`  section ${name}`, ...linesOf(entries, end)].join('\n'));
  const padding = 20 + 7 * Math.max(...groups.map(([name]) => name.length));
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
  const name = clip(mermaidText(workload), LONGEST_NAME);
  return during === 'rollback' ? `${name}, back` : name;
}

function linesOf(entries: readonly TimelineEntry[], end: number): readonly string[] {
  const verdict = entries.find((entry) => entry.verdict !== '');
  const bars = fewer(barsOf(entries, verdict?.at ?? end)).map(
    ({ text, mark, from, to }) => `  ${text} :${mark}, ${ms(from)}, ${ms(to)}`,
  );
  if (verdict === undefined) return bars;
  const mark = verdict.verdict === 'succeeded' ? 'milestone' : 'milestone, crit';
  return [...bars, `  ${verdict.verdict} :${mark}, ${ms(verdict.at)}, 0ms`];
}

function barsOf(entries: readonly TimelineEntry[], end: number): readonly Bar[] {
  const states = entries.filter((entry) => entry.verdict === '');
  return states.reduce<readonly Bar[]>((bars, { at, ready, code }, index) => {
    const text = `${ready} ready${code === '' ? '' : ` (${code})`}`;
    const to = states[index + 1]?.at ?? end;
    const last = bars.at(-1);
    if (last?.text === text) return [...bars.slice(0, -1), { ...last, to }];
    return [...bars, { text, from: at, to, mark: markOf(ready, code) }];
  }, []);
}

function markOf(ready: string, code: string): Bar['mark'] {
  const [have, want] = ready.split('/');
  return code !== '' ? 'crit' : have === want ? 'done' : 'active';
}

/** The shortest bar is swallowed by its neighbour until they are few. */
function fewer(bars: readonly Bar[]): readonly Bar[] {
  if (bars.length <= MOST_BARS) return bars;
  const shortest = bars.reduce((a, b) => (b.to - b.from < a.to - a.from ? b : a));
  const at = bars.indexOf(shortest);
  const left = bars.map((bar, index) =>
    at === 0 && index === 1 ? { ...bar, from: shortest.from } : index === at - 1 ? { ...bar, to: shortest.to } : bar,
  );
  return fewer(left.filter((bar) => bar !== shortest));
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
