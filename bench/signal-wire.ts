import { fork } from 'node:child_process';
import path from 'node:path';
import { median, quantile, type Row } from './table.ts';

const ROUNDS_PER_REPEAT = 400;

/**
 * Decisive watch line written by a server → verdict, for all that runs in between: wire, JSON, recording, view, coalescing, judgement, log. Many
 * waits of one process, so that p99.9 means something; what a process needs to end comes on top (`signal-live.ts`).
 */
export async function signalOnWire(repeat: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const story of ['success', 'stall'] as const) {
    const times = await measure(story, repeat * ROUNDS_PER_REPEAT);
    rows.push({
      measure: `decisive watch line → verdict (${story === 'success' ? 'succeeded' : 'stalled, ImageNameInvalid'}), local server, ${times.length} waits`,
      gate: `p50 ${median(times).toFixed(0)} ms, p99.9 ${quantile(times, 0.999).toFixed(0)} ms`,
      aim: { text: 'p50 ≤ 100 ms', reached: median(times) <= 100 },
    });
  }
  return rows;
}

/** In a process of its own, because the gate writes its log to standard output. */
async function measure(story: string, rounds: number): Promise<readonly number[]> {
  const child = fork(path.join(import.meta.dirname, 'signal-waits.ts'), [story, String(rounds)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.on('message', (times) => resolve(times as readonly number[]));
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the waits for ${story} ended with ${code} and without a result`)));
  });
}
