import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseRecording } from '../../src/cluster/recording.ts';
import { play } from './play.ts';

const FOLDER = path.resolve(import.meta.dirname, '../recordings');
const all = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => name.endsWith('.ndjson'))
      .map((name) => name.replace('.ndjson', ''))
  : [];
/** All of them are judged elsewhere; the whole program on the wire is asked about a few, chosen evenly. */
const chosen = all.filter((_name, index) => index % 12 === 5);
const FAULTS = {
  drop: 0.05,
  expire: 0.05,
  throttle: 0.05,
  unavailable: 0.05,
  slow: 0.2,
  slowMs: 5,
  duplicate: 0.2,
  tear: 0.05,
};

describe('the bundle, played to on the wire', { concurrency: 2 }, () => {
  for (const [index, name] of chosen.entries()) {
    const faults = index % 2 === 0 ? { seed: index, ...FAULTS } : undefined;
    it(`comes to the recorded verdict: ${name}${faults === undefined ? '' : ', under faults'}`, async () => {
      const recording = parseRecording(readFileSync(path.join(FOLDER, `${name}.ndjson`), 'utf8'));
      const expected = JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8')) as {
        readonly verdict: string;
        readonly cause: string;
      };
      const played = await play(recording, { speed: 20, ...(faults === undefined ? {} : { faults }) });
      assert.deepEqual(
        { verdict: played.outputs['verdict'], cause: played.outputs['cause'] },
        { verdict: expected.verdict, cause: expected.cause },
        played.log,
      );
      assert.equal(played.code, ['stalled', 'timed-out', 'rejected'].includes(expected.verdict) ? 1 : 0);
    });
  }
});
