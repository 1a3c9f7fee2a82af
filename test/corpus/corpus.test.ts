import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Recording, RecordingLine } from '../../src/cluster/recording.ts';
import { rejudge } from '../replay/rejudge.ts';
import { recordedCases } from './recordings.ts';

const cases = recordedCases();
const byName = new Map(cases.map((each) => [each.one.name, each]));
/** By name, so that a counterexample is a line and not a recording. */
const anyCase = fc.constantFrom(...byName.keys());

function named(name: string) {
  const found = byName.get(name);
  assert.ok(found !== undefined);
  return found;
}

test('every code that can be produced has a recording, and there are at least seventy', () => {
  assert.ok(cases.length >= 70, `${cases.length} recordings`);
});

for (const { one, recording } of cases) {
  test(`${one.name}: ${one.expected.verdict} ${one.expected.cause}`, () => {
    const judged = rejudge(recording);
    assert.equal(`${judged.verdict} ${judged.cause}`, `${one.expected.verdict} ${one.expected.cause}`, judged.reason);
    assert.ok(
      judged.seconds <= one.expected.within,
      `known after ${judged.seconds} s, allowed ${one.expected.within} s`,
    );
  });
}

/** Some changes of the view are lost, and a relist delivers what they led to, as a watch that was cut does. */
function losing(share: number, seed: number): (lines: readonly RecordingLine[]) => readonly RecordingLine[] {
  return (lines) => {
    let state = seed;
    const random = () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return state / 2147483648;
    };
    return lines
      .map((line, index) => {
        if (!('change' in line) || random() > share) return line;
        const later = lines
          .slice(index + 1)
          .find((next) => 'change' in next && next.change.object.metadata.uid === line.change.object.metadata.uid);
        // What is superseded within two seconds may never have been seen; the last state always comes.
        return later === undefined || later.at - line.at > 2000 ? line : null;
      })
      .filter((line) => line !== null);
  };
}

test('changes that are lost and made up for by a relist do not change the verdict', () => {
  fc.assert(
    fc.property(
      anyCase,
      fc.double({ min: 0.05, max: 0.5, noNaN: true }),
      fc.integer({ min: 1, max: 1e9 }),
      (name, share, seed) => {
        const { one, recording } = named(name);
        const judged = rejudge(recording, losing(share, seed));
        assert.equal(`${judged.verdict} ${judged.cause}`, `${one.expected.verdict} ${one.expected.cause}`, one.name);
      },
    ),
    { numRuns: 150 },
  );
});

/** Changes that arrived in the same tenth of a second, of different objects, have no order. */
function shuffled(seed: number): (lines: readonly RecordingLine[]) => readonly RecordingLine[] {
  return (lines) => {
    const bucket = (line: RecordingLine) => Math.floor(line.at / 100);
    const key = (line: RecordingLine) => ('change' in line ? (line.change.object.metadata.uid ?? '') : 'zz');
    const hash = (text: string) =>
      [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0) + seed) % 1_000_003, seed);
    return [...lines]
      .map((line) => ({ ...line, at: bucket(line) * 100 + 99 }))
      .sort((a, b) => a.at - b.at || hash(key(a)) - hash(key(b)));
  };
}

test('the order of changes that came together does not change the verdict', () => {
  fc.assert(
    fc.property(anyCase, fc.integer({ min: 1, max: 1e6 }), (name, seed) => {
      const { one, recording } = named(name);
      const judged = rejudge(recording, shuffled(seed));
      assert.equal(`${judged.verdict} ${judged.cause}`, `${one.expected.verdict} ${one.expected.cause}`, one.name);
    }),
    { numRuns: 150 },
  );
});

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The same story on a cluster that is slower or faster by a factor: every time of every object moves with it. */
function stretched(recording: Recording, factor: number): Recording {
  const origin = Date.parse(recording.header.startedAt);
  const move = (value: unknown): unknown => {
    if (typeof value === 'string')
      return TIME.test(value) ? new Date(origin + (Date.parse(value) - origin) * factor).toISOString() : value;
    if (Array.isArray(value)) return value.map(move);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, move(each)]));
  };
  const lines = recording.lines.map((line) => {
    const at = line.at * factor;
    if ('change' in line) return { ...line, at, change: move(line.change) };
    if (!('following' in line)) return { ...line, at };
    // The soak is a measure of the application's own rhythm.
    const following = line.following as { readonly terms: { readonly stableForMs: number } };
    return {
      at,
      following: { ...following, terms: { ...following.terms, stableForMs: following.terms.stableForMs * factor } },
    };
  });
  return { ...recording, lines: lines as unknown as Recording['lines'] };
}

/** What the deadline alone decides is another question when the deadline does not move with the cluster's pace. */
const stalls = [...byName.values()].filter(({ one }) => one.role === 'stall' && one.expected.verdict === 'stalled');
const twins = [...byName.values()].filter(({ one }) => one.role === 'twin');

test('a cluster that is up to twice as fast, or ten times as slow, stalls for the same cause', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...stalls.map(({ one }) => one.name)),
      fc.double({ min: 0.5, max: 10, noNaN: true }),
      (name, factor) => {
        const { one, recording } = named(name);
        assert.equal(rejudge(stretched(recording, factor)).cause, one.expected.cause, `${name} × ${factor}`);
      },
    ),
    { numRuns: 150 },
  );
});

test('a cluster that is faster dooms no twin', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...twins.map(({ one }) => one.name)),
      fc.double({ min: 0.5, max: 1, noNaN: true }),
      (name, factor) => {
        const { recording } = named(name);
        assert.equal(rejudge(stretched(recording, factor)).verdict, 'succeeded', `${name} × ${factor}`);
      },
    ),
    { numRuns: 150 },
  );
});
