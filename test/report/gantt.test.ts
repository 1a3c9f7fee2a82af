import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { gantt } from '../../src/report/gantt.ts';
import type { TimelineEntry } from '../../src/report/report.ts';
import { entry } from './reports.ts';

const HEAD = [
  /^```mermaid$/,
  /^%%\{init: \{"gantt": \{"leftPadding": \d+, "barHeight": \d+, "topPadding": \d+\}\}\}%%$/,
  /^gantt$/,
  /^ {2}dateFormat x$/,
  /^ {2}axisFormat %M:%S$/,
  /^ {2}tickInterval [1-9]\d*(second|minute)$/,
] as const;
const SECTION = /^ {2}section (?<name>[\p{L}\p{N} .,/()=_+-]+…?(, rollback)?( \d+)?)$/u;
const BAR =
  /^ {2}(?<text>\d+\/\d+ ready(?: \([A-Z][A-Za-z]+\))?) :(?<mark>crit|done|active), (?<from>\d+), (?<to>\d+)$/;
const MILESTONE =
  /^ {2}(?<text>succeeded|stalled|timed-out|superseded|undecided) :milestone(?<crit>, crit)?, (?<from>\d+), 0ms$/;
/** More characters than these GitHub does not draw. */
const MOST_CHARACTERS = 50_000;

interface Task {
  readonly text: string;
  readonly mark: string;
  readonly from: number;
  readonly to: number;
}

interface DrawnSection {
  readonly name: string;
  readonly tasks: readonly Task[];
}

/** Reads a chart by the grammar above; fails on a line that is not of it. */
function read(chart: string): readonly DrawnSection[] {
  const lines = chart.split('\n');
  for (const [index, pattern] of HEAD.entries()) assert.match(lines[index] ?? '', pattern);
  assert.equal(lines.at(-1), '```');
  const sections: { name: string; tasks: Task[] }[] = [];
  for (const line of lines.slice(HEAD.length, -1)) {
    const name = SECTION.exec(line)?.groups?.['name'];
    if (name === undefined) {
      const section = sections.at(-1);
      assert.ok(section !== undefined, `a task of no section: ${line}`);
      section.tasks.push(readTask(line));
    } else {
      assert.ok(!name.includes('--'), line);
      sections.push({ name, tasks: [] });
    }
  }
  return sections;
}

function readTask(line: string): Task {
  const bar = BAR.exec(line)?.groups;
  const milestone = MILESTONE.exec(line)?.groups;
  const found = bar ?? milestone;
  assert.ok(found !== undefined, `not a line of the grammar: ${JSON.stringify(line)}`);
  const from = Number(found['from']);
  const mark = bar?.['mark'] ?? (milestone?.['crit'] === undefined ? 'milestone' : 'milestone, crit');
  return { text: found['text'] ?? '', mark, from, to: bar === undefined ? from : Number(bar['to']) };
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '😀')),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(':', ',', ';', '\n', '\r', '%%', '%%{init: {}}%%', '[', ']', '{', '(', '`', '```\n', '#', '"'),
        fc.constantFrom(
          ' section x',
          '\n  x :crit, 0, 1',
          '-->',
          '--',
          '\u2028',
          '\u202e',
          'ünï',
          '漢字',
          '😀',
          '\u001b[31m',
        ),
        fc.string({ maxLength: 4 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

const moment = fc.record({
  after: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 400, noNaN: true })),
  ready: fc.constantFrom('0/0', '0/2', '1/2', '2/2', '11/120'),
  code: fc.constantFrom('', 'CrashLoop', 'ImageNotFound', 'NoProgress'),
});

/** What one workload lived through: it was seen at least once, and decided or not. */
const story = fc.record({
  name: hostile,
  during: fc.constantFrom('rollout', 'rollback'),
  moments: fc.array(moment, { minLength: 1, maxLength: 14 }),
  verdict: fc.constantFrom('', 'succeeded', 'stalled', 'timed-out', 'superseded', 'undecided'),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** The number in front keeps the names apart, however they are cut. */
function entriesOf({ name, during, moments, verdict }: Story, index: number): readonly TimelineEntry[] {
  let at = 0;
  const seen = moments.map(({ after, ...state }): TimelineEntry => {
    at += after;
    return { ...entry(at, state.ready), ...state, workload: `D/${index} ${name}`, during };
  });
  const last = seen.at(-1);
  return verdict === '' || last === undefined ? seen : [...seen, { ...last, at: at + 0.5, verdict }];
}

const timelines = fc
  .array(story, { minLength: 1, maxLength: 25 })
  .map((stories) => stories.map(entriesOf))
  .map((perWorkload) => ({ perWorkload, timeline: perWorkload.flat().sort((a, b) => a.at - b.at) }))
  .filter(({ timeline }) => timeline.some(({ at }) => at > 0));

test('whatever a workload is called, every line is of the grammar, and says what was seen of that workload', () => {
  fc.assert(
    fc.property(timelines, ({ perWorkload, timeline }) => {
      const chart = gantt(timeline);
      const sections = read(chart);
      assert.ok(chart.length < MOST_CHARACTERS);
      assert.equal(sections.length, Math.min(20, perWorkload.length));
      const end = Math.max(...timeline.map(({ at }) => at));
      for (const { name, tasks } of sections) {
        const entries = perWorkload[Number(/^D\/(\d+)/.exec(name)?.[1])] ?? [];
        assert.equal(name.endsWith(', rollback'), entries[0]?.during === 'rollback', name);
        assertTells(tasks, entries, end);
      }
    }),
    { numRuns: 300 },
  );
});

/** Bars and a milestone of these entries and no others, one after the other from the first to the verdict. */
function assertTells(tasks: readonly Task[], entries: readonly TimelineEntry[], end: number): void {
  const decided = entries.find(({ verdict }) => verdict !== '');
  const texts = new Set(entries.flatMap(({ ready, code }) => [`${ready} ready`, `${ready} ready (${code})`]));
  const bars = tasks.filter(({ mark }) => !mark.startsWith('milestone'));
  const milestones = tasks.filter(({ mark }) => mark.startsWith('milestone'));
  for (const { text } of bars) assert.ok(texts.has(text), text);
  assert.ok(bars.length >= 1 && bars.length <= 7);
  assert.equal(bars[0]?.from, Math.round((entries[0]?.at ?? 0) * 1000));
  assert.equal(bars.at(-1)?.to, Math.round((decided?.at ?? end) * 1000));
  for (const [index, bar] of bars.entries()) {
    assert.ok(bar.from <= bar.to);
    if (index > 0) assert.equal(bar.from, bars[index - 1]?.to);
  }
  const isQuiet = decided?.verdict === 'succeeded' && decided.during === 'rollout';
  assert.deepEqual(
    milestones.map(({ text }) => text),
    decided === undefined || isQuiet ? [] : [decided.verdict],
  );
}

interface Mermaid {
  readonly parse: (text: string) => Promise<{ readonly diagramType: string }>;
}

test('Mermaid itself takes the chart', async () => {
  runInThisContext(readFileSync(createRequire(import.meta.url).resolve('@mermaid-js/tiny'), 'utf8'));
  const { mermaid } = globalThis as unknown as { readonly mermaid: Mermaid };
  await assert.rejects(mermaid.parse('gantt\n  dateFormat x\n  section \n  x :crit, 0, 1'));
  await fc.assert(
    fc.asyncProperty(timelines, async ({ timeline }) => {
      const body = gantt(timeline).split('\n').slice(1, -1).join('\n');
      assert.equal((await mermaid.parse(body)).diagramType, 'gantt');
    }),
    { numRuns: 50 },
  );
});

function seen(at: number, ready: string, more: Partial<TimelineEntry> = {}): TimelineEntry {
  return { ...entry(at, ready), ...more };
}

function tasksOf(timeline: readonly TimelineEntry[]): readonly (readonly [string, ...string[]])[] {
  return read(gantt(timeline)).map(({ name, tasks }) => [
    name,
    ...tasks.map(({ text, mark, from, to }) => `${text} | ${mark} | ${from} ${to}`),
  ]);
}

test('a stall shows how long it stood at how many, with what was found, and ends in a milestone', () => {
  const timeline = [
    seen(0, '0/2'),
    seen(10, '1/2'),
    seen(20, '1/2', { code: 'CrashLoop' }),
    seen(40, '1/2', { code: 'CrashLoop', verdict: 'stalled' }),
  ];
  assert.deepEqual(tasksOf(timeline), [
    [
      'Deployment/web in shop',
      '0/2 ready | active | 0 10000',
      '1/2 ready | active | 10000 20000',
      '1/2 ready (CrashLoop) | crit | 20000 40000',
      'stalled | milestone, crit | 40000 40000',
    ],
  ]);
});

test('a success is one bar, and stands below what went wrong; a rollback has a section of its own', () => {
  const bad = { workload: 'Deployment/bad' };
  const back = { ...bad, during: 'rollback' as const };
  const timeline = [
    seen(0, '0/1'),
    seen(0, '0/1', bad),
    seen(5, '1/1', { verdict: 'succeeded' }),
    seen(9, '0/1', { ...bad, verdict: 'stalled' }),
    seen(10, '0/1', back),
    seen(20, '1/1', { ...back, verdict: 'succeeded' }),
  ];
  assert.deepEqual(tasksOf(timeline), [
    ['Deployment/bad', '0/1 ready | active | 0 9000', 'stalled | milestone, crit | 9000 9000'],
    ['Deployment/bad, rollback', '0/1 ready | active | 10000 20000', 'succeeded | milestone | 20000 20000'],
    ['Deployment/web in shop', '1/1 ready | done | 0 5000'],
  ]);
});

test('what is too short to be seen is part of the bar before it, and the same said twice is one bar', () => {
  const timeline = [seen(0, '0/2'), seen(50, '1/2'), seen(50.2, '0/2'), seen(60, '0/2'), seen(100, '2/2')];
  const until = seen(200, '2/2', { verdict: 'timed-out' });
  assert.deepEqual(tasksOf([...timeline, until]), [
    [
      'Deployment/web in shop',
      '0/2 ready | active | 0 100000',
      '2/2 ready | done | 100000 200000',
      'timed-out | milestone, crit | 200000 200000',
    ],
  ]);
});

test('a chart is no longer than a person reads', () => {
  const states = Array.from({ length: 30 }, (_, index) => seen(index, `${index}/40`));
  const names = Array.from({ length: 30 }, (_, index) => `Deployment/${index}`);
  const timeline = names.flatMap((workload) => states.map((state) => ({ ...state, workload })));
  const sections = read(gantt(timeline));
  assert.deepEqual([sections.length, sections[0]?.tasks.length], [20, 7]);
});

test('nothing is drawn where there is nothing to draw', () => {
  assert.equal(gantt([]), '');
  assert.equal(gantt([seen(0, '0/1')]), '');
});

test('two workloads whose long names begin alike are two sections, and the one that failed shows it', () => {
  const long = `Deployment/${'a'.repeat(40)}`;
  const chart = gantt([
    { ...entry(0, '0/1'), workload: `${long}-one` },
    { ...entry(0, '0/1'), workload: `${long}-two` },
    { ...entry(60, '1/1'), workload: `${long}-one`, verdict: 'succeeded' },
    { ...entry(90, '0/1'), code: 'CrashLoop', workload: `${long}-two` },
    { ...entry(95, '0/1'), code: 'CrashLoop', workload: `${long}-two`, verdict: 'stalled' },
  ]);
  const sections = read(chart);
  assert.equal(new Set(sections.map(({ name }) => name)).size, 2);
  assert.match(chart.split('  section ')[1] ?? '', /\(CrashLoop\).*\n.*stalled/);
});
