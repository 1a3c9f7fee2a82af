import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/** A program to measure. */
export interface Command {
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

/** What one whole process cost. */
export interface Cost {
  readonly seconds: number;
  readonly code: number;
  /** The most memory that it held, in MiB; of several processes, the largest. */
  readonly mebibytes: number;
  readonly output: string;
  /** When it first printed what was looked for, and when it ended, by `performance.now()`. */
  readonly printedAt: number | null;
  readonly endedAt: number;
}

/** Runs a command to its end; the memory is the operating system's own account of it (`/usr/bin/time`). */
export async function timed({ command, env, folder }: Command, lookFor: RegExp | null = null): Promise<Cost> {
  const account = path.join(await mkdtemp(path.join(tmpdir(), 'bench-')), 'memory');
  const began = performance.now();
  const child = spawn('/usr/bin/time', ['-f', '%M', '-o', account, ...command], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let printedAt: number | null = null;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (printedAt === null && lookFor?.test(output) === true) printedAt = performance.now();
    });
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? -1));
  });
  const endedAt = performance.now();
  const memory = (await readFile(account, 'utf8')).trim().split('\n').at(-1);
  return { seconds: (endedAt - began) / 1000, code, mebibytes: Number(memory) / 1024, output, printedAt, endedAt };
}
