import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GateRun } from './cluster.ts';

const FOLDER = path.resolve(import.meta.dirname, '../recordings/rollback');

/** What a recorded rollback has to come to when it is judged again. */
export interface RecordedRollback {
  readonly cause: string;
  readonly outcome: string;
}

/** With ROLLOUT_GATE_RECORD=1: keeps what a run saw of the stall and of the rollback, to be judged again without a cluster. */
export async function keepRecording(name: string, run: GateRun): Promise<void> {
  if (process.env['ROLLOUT_GATE_RECORD'] !== '1') return;
  const evidence = path.dirname(run.outputs['report'] ?? '');
  const folder = path.join(FOLDER, name);
  await mkdir(folder, { recursive: true });
  for (const file of ['recording.ndjson', 'rollback.ndjson'])
    await copyFile(path.join(evidence, file), path.join(folder, file));
  const expected: RecordedRollback = { cause: run.outputs['cause'] ?? '', outcome: run.outputs['rollback'] ?? '' };
  await writeFile(path.join(folder, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
}
