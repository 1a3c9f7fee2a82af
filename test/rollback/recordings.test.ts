import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseRecording } from '../../src/cluster/recording.ts';
import type { RecordedRollback } from '../live/keep-recording.ts';
import { type Rejudged, rejudge } from '../replay/rejudge.ts';

const FOLDER = path.resolve(import.meta.dirname, '../recordings/rollback');
const names = readdirSync(FOLDER);

function judged(name: string, file: string): Rejudged {
  return rejudge(parseRecording(readFileSync(path.join(FOLDER, name, file), 'utf8')));
}

test('there are recordings of rollbacks', () => assert.ok(names.length >= 11, names.join(', ')));

for (const name of names)
  test(`${name}: the stall has its cause, and what was restored is judged ready`, () => {
    const expected = JSON.parse(readFileSync(path.join(FOLDER, name, 'expected.json'), 'utf8')) as RecordedRollback;
    const stall = judged(name, 'recording.ndjson');
    assert.deepEqual([stall.verdict, stall.cause], ['stalled', expected.cause], stall.reason);
    const back = judged(name, 'rollback.ndjson');
    assert.deepEqual([back.verdict, expected.outcome], ['succeeded', 'rolled-back'], `${back.cause} ${back.reason}`);
  });
