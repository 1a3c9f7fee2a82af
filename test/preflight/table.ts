import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Situation, warningsOf } from './scenes.ts';

/** What is looked at, the situation, and the warnings as code and a part of their words; none: the harmless twin. */
export type Row = readonly [what: string, situation: Situation, ...expected: readonly (readonly [string, RegExp])[]];

export function table(title: string, rows: readonly Row[]): void {
  for (const [what, situation, ...expected] of rows) {
    test(`${title}: ${what}`, () => {
      const warnings = warningsOf(situation);
      assert.deepEqual(
        warnings.map(({ code }) => code),
        expected.map(([code]) => code),
        warnings.map(({ message }) => message).join('\n'),
      );
      for (const [index, [, words]] of expected.entries()) assert.match(warnings[index]?.message ?? '', words);
    });
  }
}
