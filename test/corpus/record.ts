/**
 * `npm run record -- [NAME …]`: plays the cases of the corpus on the cluster that KUBECONFIG names, and keeps the recording of each in
 * test/recordings. It needs kubectl, an administrator's rights, and the images of docs/testing.md.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { documents, type GateRun, kubectl, startGate } from '../live/cluster.ts';
import type { Case, Step } from './case.ts';
import { CASES } from './cases.ts';
import type { Recorded } from './recorded.ts';

const run = promisify(execFile);
const FOLDER = path.resolve(import.meta.dirname, '../recordings');
const CONCURRENCY = Number(process.env['RECORD_CONCURRENCY'] ?? '8');

const node = (await kubectl(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}'])).trim();
const kubernetes = (JSON.parse(await kubectl(['version', '-o', 'json'])) as { serverVersion: { gitVersion: string } })
  .serverVersion.gitVersion;

async function step(each: Step, fill: (text: string) => string): Promise<void> {
  const args = each.kubectl.map(fill);
  if (args[0] === 'SHELL') await run('bash', ['-c', args[1] ?? '']);
  else await kubectl(args, each.input === undefined ? undefined : fill(each.input));
}

async function record(one: Case): Promise<boolean> {
  const tag = Math.random().toString(36).slice(2, 7);
  const namespace = `c-${one.name.slice(0, 40)}-${tag}`;
  const fill = (text: string) => text.replaceAll('NS', namespace).replaceAll('TAG', tag).replaceAll('NODE', node);
  await kubectl(['create', 'namespace', namespace]);
  try {
    for (const each of one.setup ?? []) await step(each, fill);
    const inputs = { 'stable-for': '5s', ...one.inputs };
    if (one.before !== undefined) await mustSucceed(one, fill, inputs);
    const running = await startGate(fill(documents(...one.manifest)), inputs);
    const beside = Promise.all(
      (one.during ?? []).map(async (each) => sleep(each.after * 1000).then(() => step(each, fill))),
    );
    const [result] = await Promise.all([running.result, beside]);
    return await keep(one, result, namespace);
  } finally {
    for (const each of one.cleanup ?? [])
      await step(each, fill).catch((error: unknown) => console.error(`${one.name}: cleanup: ${String(error)}`));
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
  }
}

async function mustSucceed(
  one: Case,
  fill: (text: string) => string,
  inputs: Readonly<Record<string, string>>,
): Promise<void> {
  const gate = await startGate(fill(documents(...(one.before ?? []))), inputs);
  const result = await gate.result;
  if (result.code !== 0) throw new Error(`what came before did not succeed:\n${result.log}`);
}

async function keep(one: Case, result: GateRun, namespace: string): Promise<boolean> {
  const { report, outputs } = result;
  const workload = report.workloads.find((each) => each.cause !== null) ?? report.workloads[0];
  const recorded: Recorded = {
    verdict: report.verdict,
    cause: report.cause,
    seconds: Math.max(
      0,
      ...report.workloads.filter((each) => workload?.cause === null || each === workload).map((each) => each.seconds),
    ),
    kubectl: await rolloutStatus(workload?.kind ?? '', workload?.name ?? '', namespace),
    kubernetes,
  };
  await mkdir(FOLDER, { recursive: true });
  await copyFile(outputs['recording'] ?? '', path.join(FOLDER, `${one.name}.ndjson`));
  await writeFile(path.join(FOLDER, `${one.name}.json`), `${JSON.stringify(recorded, null, 2)}\n`);
  const { verdict, cause, within } = one.expected;
  const good = recorded.verdict === verdict && recorded.cause === cause && recorded.seconds <= within;
  console.log(
    `${good ? 'as expected' : 'UNEXPECTED '}  ${one.name}: ${recorded.verdict} ${recorded.cause} after ${recorded.seconds} s${good ? '' : ` (expected ${verdict} ${cause} within ${within} s): ${report.reason}`}`,
  );
  return good;
}

async function rolloutStatus(kind: string, name: string, namespace: string): Promise<string> {
  if (!['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind)) return '';
  const args = ['rollout', 'status', `${kind.toLowerCase()}/${name}`, '-n', namespace, '--timeout=1s'];
  return kubectl(args).then(
    (text) => text.trim().split('\n').at(-1) ?? '',
    (error: { readonly stderr?: string; readonly stdout?: string }) =>
      `${(error.stdout ?? '').trim().split('\n').at(-1) ?? ''} ${(error.stderr ?? '').trim()}`.trim(),
  );
}

const wanted = process.argv.slice(2);
const cases = CASES.filter(
  (one) => wanted.length === 0 || wanted.some((name) => one.name === name || one.name.startsWith(`${name}-`)),
);
const failed: string[] = [];
// What holds the whole cluster's controllers must not run beside others.
const alone = cases.filter((one) => one.name.startsWith('controller-'));
const queue = cases.filter((one) => !alone.includes(one)).values();
async function worker(all: Iterable<Case>): Promise<void> {
  for (const one of all) {
    const good = await record(one).catch((error: unknown) => {
      console.log(`BROKEN  ${one.name}: ${String(error).slice(0, 2000)}`);
      return false;
    });
    if (!good) failed.push(one.name);
  }
}
await Promise.all(Array.from({ length: CONCURRENCY }, () => worker(queue)));
await worker(alone);
console.log(
  `${cases.length - failed.length} of ${cases.length} as expected${failed.length === 0 ? '' : `; not: ${failed.join(' ')}`}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
