import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { plainKubeconfig } from '../test/live/relay.ts';
import type { Command } from './process.ts';
import { gateCommand } from './programs.ts';
import { median, type Row, spread } from './table.ts';

const MANIFEST = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';

/** Process start → first request on the wire, in turns with `kubectl get pods`. */
export async function starts(repeat: number): Promise<readonly Row[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  // The first of each warms the file cache and is not counted.
  for (let round = 0; round <= repeat * 5; round += 1) {
    const gate = await firstRequest((kubeconfig) => gateCommand(MANIFEST, {}, kubeconfig));
    const kubectl = await firstRequest(kubectlGet);
    if (round === 0) continue;
    ours.push(gate);
    theirs.push(kubectl);
  }
  const row = {
    measure: `process start → first request, median of ${ours.length}`,
    gate: spread(ours, 'ms', 0),
    kubectl: spread(theirs, 'ms', 0),
    ratio: median(ours) / median(theirs),
  };
  const reached = median(ours) <= 300 && row.ratio <= 3;
  return [{ ...row, aim: { text: '≤ 300 ms and ≤ 3 × kubectl', reached } }];
}

async function kubectlGet(kubeconfig: string): Promise<Command> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-start-'));
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig);
  const command = ['kubectl', '--kubeconfig', file, 'get', 'pods'];
  return { command, env: { ...process.env, HOME: folder }, folder };
}

/** Milliseconds from the start of a program to its first request at a server that does nothing but note it. */
async function firstRequest(prepare: (kubeconfig: string) => Promise<Command>): Promise<number> {
  const arrived = Promise.withResolvers<number>();
  const server = createServer((_request, response) => {
    arrived.resolve(performance.now());
    response.writeHead(403, { 'Content-Type': 'application/json' });
    response.end('{"kind":"Status","apiVersion":"v1","status":"Failure","code":403}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { command, env, folder } = await prepare(plainKubeconfig((server.address() as AddressInfo).port));
  const began = performance.now();
  const child = spawn(command[0] ?? '', command.slice(1), { env, cwd: folder, stdio: 'ignore' });
  child.on('error', arrived.reject);
  child.on('exit', () => arrived.reject(new Error(`${command[0]} ended without a request`)));
  try {
    return (await arrived.promise) - began;
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
}
