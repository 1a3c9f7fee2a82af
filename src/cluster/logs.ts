import type { Status } from '../kubernetes.ts';
import type { Transport } from './transport.ts';

export interface LogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
  readonly tailLines: number;
}

/** The tail of a log, oldest line first, or the server's refusal. */
export type LogAnswer =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly status: number; readonly failure: Status };

/** The server cuts the end off, not the beginning: far above what the tail of a readable log needs. */
const LIMIT_BYTES = 1024 * 1024;
const LONGEST_LINE = 4_096;

/**
 * Reads the tail of a container's log. Where there is no log of a run before, the present one is read: while a container waits to be
 * restarted, that is where the output of the crash is. A container that has not started has written nothing.
 */
export async function readLog(transport: Transport, asked: LogRequest, signal?: AbortSignal): Promise<LogAnswer> {
  const answer = await fetchLog(transport, asked, signal);
  const missing = answer.ok ? answer.lines.some(isRuntimeExcuse) : answer.status === 400;
  if (missing && asked.previous) return readLog(transport, { ...asked, previous: false }, signal);
  return missing ? { ok: true, lines: [] } : answer;
}

async function fetchLog(transport: Transport, asked: LogRequest, signal: AbortSignal | undefined): Promise<LogAnswer> {
  const answer = await transport.request({
    method: 'GET',
    path: `/api/v1/namespaces/${encodeURIComponent(asked.namespace)}/pods/${encodeURIComponent(asked.pod)}/log`,
    query: {
      container: asked.container,
      tailLines: String(asked.tailLines),
      limitBytes: String(LIMIT_BYTES),
      ...(asked.previous ? { previous: 'true' } : {}),
    },
    accept: 'text/plain, application/json',
    ...(signal === undefined ? {} : { signal }),
  });
  if (!answer.ok) return answer;
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  return { ok: true, lines: linesOf(text, asked.tailLines) };
}

function linesOf(text: string, most: number): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  return lines.slice(-most).map((line) => line.slice(0, LONGEST_LINE));
}

/** What the kubelet writes into the answer, as if it were the log, when the container's files are gone. */
function isRuntimeExcuse(line: string): boolean {
  return (
    line.startsWith('unable to retrieve container logs for ') ||
    /^failed to try resolving symlinks in path "\/var\/log\/pods\//.test(line)
  );
}
