import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseRecording, type Recording } from '../../src/cluster/recording.ts';
import type { Case } from './case.ts';
import { CASES } from './cases.ts';
import type { Recorded } from './recorded.ts';

const FOLDER = path.resolve(import.meta.dirname, '../recordings');

/** A case with what the real cluster delivered when it was played. */
export interface RecordedCase {
  readonly one: Case;
  readonly recording: Recording;
  readonly recorded: Recorded;
}

/** All cases that were recorded, in the order of the corpus. */
export function recordedCases(): readonly RecordedCase[] {
  return CASES.filter((one) => existsSync(path.join(FOLDER, `${one.name}.ndjson`))).map((one) => ({
    one,
    recording: parseRecording(readFileSync(path.join(FOLDER, `${one.name}.ndjson`), 'utf8')),
    recorded: JSON.parse(readFileSync(path.join(FOLDER, `${one.name}.json`), 'utf8')) as Recorded,
  }));
}
