/**
 * `npm run corpus`: judges every recording again, prints the confusion matrix and the measures, and writes the table of docs/stalls.md.
 * Exits with 1 if a cause is missed, or a twin is doomed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rejudge } from '../replay/rejudge.ts';
import { recordedCases } from './recordings.ts';

const DOCS = path.resolve(import.meta.dirname, '../../docs/stalls.md');
const MARK = '<!-- the table below is written by npm run corpus -->';

const rows = recordedCases().map(({ one, recording, recorded }) => ({ one, recorded, judged: rejudge(recording) }));
const label = (verdict: string, cause: string) => (cause === '' ? verdict : cause);

const confusion = new Map<string, Map<string, number>>();
for (const { one, judged } of rows) {
  const expected = label(one.expected.verdict, one.expected.cause);
  const got = label(judged.verdict, judged.cause);
  const line = confusion.get(expected) ?? new Map<string, number>();
  confusion.set(expected, line.set(got, (line.get(got) ?? 0) + 1));
}
console.log('expected → judged, number of recordings\n');
for (const [expected, line] of [...confusion].sort(([a], [b]) => a.localeCompare(b))) {
  console.log(
    `${expected.padEnd(26)} ${[...line].map(([got, count]) => `${got === expected ? '=' : `✗ ${got}`} ${count}`).join('   ')}`,
  );
}

const stalls = rows.filter(({ one }) => one.role === 'stall');
const named = stalls.filter(({ one, judged }) => judged.cause === one.expected.cause);
const twins = rows.filter(({ one }) => one.role !== 'stall');
const unharmed = twins.filter(({ one, judged }) => judged.verdict === one.expected.verdict);
const late = rows.filter(({ one, judged }) => judged.seconds > one.expected.within);
console.log(
  `\nright cause first: ${named.length} of ${stalls.length} stalls (${Math.round((100 * named.length) / stalls.length)} %)`,
);
console.log(`unharmed: ${unharmed.length} of ${twins.length} twins and herrings`);
console.log(
  `later than allowed: ${late.length}${late.map(({ one, judged }) => `\n  ${one.name}: ${judged.seconds} s, allowed ${one.expected.within} s`).join('')}`,
);
for (const { one, judged } of rows) {
  if (judged.verdict !== one.expected.verdict || judged.cause !== one.expected.cause)
    console.log(`miss: ${one.name}: ${judged.verdict} ${judged.cause} (${judged.reason})`);
}

const table = [
  '| case | what it is | verdict | cause | seconds | `kubectl rollout status` at that moment |',
  '|---|---|---|---|---|---|',
  ...rows.map(({ one, recorded, judged }) => {
    const kind = `${one.role}${one.simulated === true ? ', status written by the test' : ''}`;
    return `| ${one.name} | ${kind} | ${judged.verdict} | ${judged.cause} | ${judged.seconds} | ${recorded.kubectl.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`;
  }),
].join('\n');
const before = readFileSync(DOCS, 'utf8');
writeFileSync(DOCS, `${before.slice(0, before.indexOf(MARK) + MARK.length)}\n\n${table}\n`);
process.exitCode = named.length === stalls.length && unharmed.length === twins.length ? 0 : 1;
