import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseRecording } from '../../src/cluster/recording.ts';
import { runBundle } from './run-bundle.ts';

const WORKSPACE = path.resolve(import.meta.dirname, 'demo');
const FAULTS = {
  drop: 0.1,
  expire: 0.05,
  throttle: 0.05,
  unavailable: 0.05,
  slow: 0.2,
  slowMs: 5,
  duplicate: 0.3,
  tear: 0.05,
};

describe('the worked case, played to the bundle', () => {
  for (const seed of [null, 1, 2]) {
    it(seed === null ? 'as it was' : `under faults (seed ${seed})`, async (t) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'bundle-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const recording = parseRecording(readFileSync(path.join(WORKSPACE, 'recording.ndjson'), 'utf8'));
      const inputs = { manifests: 'web.yaml', 'stable-for': '5s' };
      const faults = seed === null ? {} : { faults: { seed, ...FAULTS } };
      const run = await runBundle({ recording, workspace: WORKSPACE, inputs, folder, speed: 20, ...faults });
      const { verdict, cause, ready } = run.report;
      assert.deepEqual(
        { verdict, cause, ready },
        { verdict: 'stalled', cause: 'CapacityInsufficient', ready: '4/6' },
        run.log,
      );
      assert.equal(run.code, 1);
      assert.match(run.summary, /CapacityInsufficient/);
      assert.match(run.log, /^::error .*file=web\.yaml/m);
    });
  }
});
