import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RecordingLine } from '../../src/cluster/recording.ts';
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
