/**
 * `npm run bench [-- PART …]`: measures the gate beside kubectl and, if HELM names its program, Helm 4, in one run on the cluster of
 * KUBECONFIG, and prints a table. No time is asserted: a machine's times are its own, ratios are what counts. What a time belongs to is:
 * a run that comes to another verdict than the one that is timed fails its part.
 */
import { judging } from './judging.ts';
import { scale } from './scale.ts';
import { signalLive } from './signal-live.ts';
import { signalOnWire } from './signal-wire.ts';
import { size } from './size.ts';
import { starts } from './starts.ts';
import { markdownRow, markdownTable, type Row } from './table.ts';
import { verdicts } from './verdicts.ts';
import { waits } from './waits.ts';

const REPEAT = Number(process.env['BENCH_REPEAT'] ?? '3');
const WAIT_MINUTES = Number(process.env['BENCH_WAIT_MINUTES'] ?? '5');

const PARTS: Readonly<Record<string, () => Promise<readonly Row[]> | readonly Row[]>> = {
  size,
  starts: () => starts(REPEAT),
  judging,
  'signal-wire': () => signalOnWire(REPEAT),
  'signal-live': () => signalLive(REPEAT),
  verdicts: () => verdicts(REPEAT),
  waits: () => waits(WAIT_MINUTES),
  scale,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in PARTS));
if (unknown.length > 0) throw new Error(`no part is called ${unknown.join(', ')}: ${Object.keys(PARTS).join(', ')}`);
const rows: Row[] = [];
for (const [name, part] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  try {
    const found = await part();
    rows.push(...found);
    for (const row of found) console.error(markdownRow(row));
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    rows.push({ measure: name, gate: 'could not be measured' });
  }
}
console.log(markdownTable(rows));
