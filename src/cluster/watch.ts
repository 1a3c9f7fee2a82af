import type { KubernetesObject, Status } from '../kubernetes.ts';
import { resourcePath } from './api.ts';
import { explainFailure, networkFailure } from './failure.ts';
import { type Subscription, selectorsOf } from './subscription.ts';
import type { Transport } from './transport.ts';

/** How a watch ended. Only `expired` needs a new list; after all others the watch resumes where it was. */
export type WatchEnd =
  /** The server ended it, as it does when its time is over. */
  | { readonly kind: 'closed' }
  /** The version to resume from is too old: 410. */
  | { readonly kind: 'expired' }
  /** No byte came for longer than bookmarks take. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'refused'; readonly status: number; readonly failure: Status }
  | { readonly kind: 'broken'; readonly reason: string };

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubernetesObject;
}

export interface WatchTimes {
  /** How long the server is asked to keep the watch, in seconds. */
  readonly watchSeconds: number;
  /** How long a watch may be without a byte, in milliseconds. Bookmarks come about each minute. */
  readonly silenceMs: number;
}

/**
 * Runs one watch to its end. Never rejects but with the reason of `signal`.
 *
 * @param onEvent called in the order of arrival, bookmarks included
 */
export async function watchOnce(
  transport: Transport,
  subscription: Subscription,
  resourceVersion: string,
  times: WatchTimes,
  signal: AbortSignal,
  onEvent: (event: WatchEvent) => void,
): Promise<WatchEnd> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), times.silenceMs);
  try {
    const answer = await transport.stream(
      {
        path: resourcePath(subscription.resource, subscription.namespace),
        query: {
          ...selectorsOf(subscription),
          watch: 'true',
          allowWatchBookmarks: 'true',
          timeoutSeconds: String(times.watchSeconds),
          ...(resourceVersion === '' ? {} : { resourceVersion }),
        },
      },
      AbortSignal.any([signal, silence.signal]),
    );
    if (!answer.ok)
      return answer.status === 410
        ? { kind: 'expired' }
        : { kind: 'refused', status: answer.status, failure: answer.failure };
    for await (const line of linesOf(answer.chunks, () => timer.refresh())) {
      const end = readLine(line, onEvent);
      if (end !== null) return end;
    }
    return { kind: 'closed' };
  } catch (error) {
    signal.throwIfAborted();
    if (silence.signal.aborted) return { kind: 'silent' };
    return { kind: 'broken', reason: explainFailure(networkFailure(error), transport.server) };
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

function readLine(line: string, onEvent: (event: WatchEvent) => void): WatchEnd | null {
  const event = parse(line);
  if (event === null)
    return { kind: 'broken', reason: `the watch delivered a line that is not an event (${line.length} characters)` };
  if (event.type !== 'ERROR') {
    onEvent(event);
    return null;
  }
  const failure = event.object;
  if (failure.code === 410 || failure.reason === 'Expired' || failure.reason === 'Gone') return { kind: 'expired' };
  return { kind: 'refused', status: failure.code ?? 500, failure };
}

function parse(line: string): WatchEvent | { readonly type: 'ERROR'; readonly object: Status } | null {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event !== 'object' || event === null || !('type' in event) || !('object' in event)) return null;
    if (typeof event.object !== 'object' || event.object === null) return null;
    if (event.type === 'ERROR') return { type: 'ERROR', object: event.object as Status };
    return 'metadata' in event.object ? (event as WatchEvent) : null;
  } catch {
    return null;
  }
}

/** Complete lines only: what is left when the stream ends is the torn beginning of an event. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  for await (const chunk of chunks) {
    onBytes();
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) {
      const line = pending.length === 0 ? part : pending.join('') + part;
      pending = [];
      if (line.trim() !== '') yield line;
    }
    if (rest !== '') pending.push(rest);
  }
}
