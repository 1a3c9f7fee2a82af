/** `npm run replay -- FILE`: judges a recording offline, and prints what came of it. */
import { readFile } from 'node:fs/promises';
import { parseRecording } from '../../src/cluster/recording.ts';
import { reasonOf } from '../../src/report/workload.ts';
import { rejudge } from './rejudge.ts';

const file = process.argv[2];
if (file === undefined) {
  console.error('usage: npm run replay -- FILE    (FILE: the recording that a run left, recording.ndjson)');
  process.exit(2);
}
const recording = parseRecording(await readFile(file, 'utf8'));
const result = rejudge(recording);
console.log(`${recording.header.tool}, server ${recording.header.server}, recorded ${recording.header.startedAt}`);
for (const standing of result.judgement.standings) {
  console.log(`${standing.decision?.verdict ?? 'undecided'}: ${reasonOf(standing)}`);
  for (const finding of standing.findings)
    console.log(`  ${finding.code} (${finding.certainty}${finding.ripe ? ', ripe' : ''}): ${finding.summary}`);
}
console.log(`${result.verdict}${result.cause === '' ? '' : ` (${result.cause})`} after ${result.seconds} s`);
