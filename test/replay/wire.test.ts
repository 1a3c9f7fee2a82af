import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseRecording } from '../../src/cluster/recording.ts';
import { inputsOf, manifestOf } from './recorded-run.ts';
import { runBundle } from './run-bundle.ts';

const FOLDER = path.resolve(import.meta.dirname, '../recordings');
const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.ndjson')) : [];
/** All of them are judged elsewhere; the whole program on the wire is asked about a few, evenly chosen. */
const chosen = names.filter((_name, index) => index % 12 === 5).map((name) => name.replace('.ndjson', ''));
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

interface Expected {
  readonly verdict: string;
  readonly cause: string;
}

describe('the bundle comes to the recorded verdict on the wire', { concurrency: 2 }, () => {
  for (const [index, name] of chosen.entries()) {
    const faults = index % 2 === 0 ? { seed: index, ...FAULTS } : undefined;
    it(`${name}${faults === undefined ? '' : ', under faults'}`, async (t) => {
      const recording = parseRecording(readFileSync(path.join(FOLDER, `${name}.ndjson`), 'utf8'));
      const expected = JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8')) as Expected;
      const workspace = mkdtempSync(path.join(tmpdir(), 'wire-'));
      t.after(() => rmSync(workspace, { recursive: true }));
      writeFileSync(path.join(workspace, 'manifest.yaml'), manifestOf(recording));
      const run = await runBundle({
        recording,
        workspace,
        inputs: inputsOf(recording),
        folder: path.join(workspace, 'out'),
        speed: 20,
        ...(faults === undefined ? {} : { faults }),
      });
      const { verdict, cause } = run.report;
      assert.deepEqual({ verdict, cause }, { verdict: expected.verdict, cause: expected.cause }, run.log);
      assert.equal(run.code, ['stalled', 'timed-out', 'rejected'].includes(verdict) ? 1 : 0);
    });
  }
});
