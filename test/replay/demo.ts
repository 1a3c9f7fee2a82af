/**
 * `npm run demo`: the worked case, six replicas asked for and four ready, recorded from a real cluster and played to the real bundle. It
 * shows what a person would see in the log, and leaves summary and report in a folder.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseRecording } from '../../src/cluster/recording.ts';
import { runBundle } from './run-bundle.ts';

const workspace = path.resolve(import.meta.dirname, 'demo');
const folder = path.resolve(import.meta.dirname, '../../out/demo');
const EXPECTED = 'stalled CapacityInsufficient 4/6';

console.log(
  'A Deployment asks for six replicas, and only four become ready. Played from a recording of a real cluster, five times as fast:\n',
);
const recording = parseRecording(await readFile(path.join(workspace, 'recording.ndjson'), 'utf8'));
const run = await runBundle({
  recording,
  workspace,
  inputs: { manifests: 'web.yaml', 'stable-for': '5s' },
  folder,
  speed: 5,
  onLog: (text) => process.stdout.write(asShown(text)),
});

/** The runner takes commands out of the log, and shows some of them. */
function asShown(text: string): string {
  return text
    .replace(/^::add-mask::.*\n/gm, '')
    .replace(/^::group::(.*)$/gm, '▼ $1')
    .replace(/^::endgroup::\n/gm, '')
    .replace(
      /^::error (.*?)::(.*)$/gm,
      (_, properties: string, message: string) => `Error: ${decoded(message)}\n       (${decoded(properties)})`,
    );
}

function decoded(text: string): string {
  return text.replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

const { report } = run;
console.log(`\nThe step would fail with exit code ${run.code}. What it left:`);
console.log(
  `  ${path.relative(process.cwd(), path.join(folder, 'summary.md'))}   the job summary: cause, proof, what to do, ${report.workloads[0]?.signals.length} signals inspected`,
);
console.log(`  ${path.relative(process.cwd(), folder)}/temp/…/report.json   the same for programs`);
console.log(`\n${report.workloads[0]?.moreReplicas}`);

const seen = `${report.verdict} ${report.cause} ${report.ready}`;
if (seen !== EXPECTED) {
  console.error(`\nThis is not the recorded verdict: expected ${EXPECTED}, got ${seen}`);
  process.exitCode = 1;
}
