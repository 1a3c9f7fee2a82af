import pRetry from 'p-retry';
import type { ApiRequest } from './api.ts';
import type { NetworkFailure } from './failure.ts';

/** Why an attempt came to nothing. */
export type AttemptFailure =
  | { readonly kind: 'network'; readonly failure: NetworkFailure; readonly cause: unknown }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly retryAfterMs: number | null;
      readonly message: string;
    };

/** Times in milliseconds. */
export interface RetryPolicy {
  /** All attempts of one request together. */
  readonly budgetMs: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

export const RETRY_POLICY: RetryPolicy = { budgetMs: 60_000, firstDelayMs: 250, longestDelayMs: 8_000 };

/** What one attempt came to. A failure that must not be retried carries what the caller gets instead. */
export type Attempt<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly failure: AttemptFailure; readonly last: () => T };

class Unfinished<T> extends Error {
  readonly failure: AttemptFailure;
  readonly last: () => T;

  constructor(failure: AttemptFailure, last: () => T) {
    super(failure.kind);
    this.failure = failure;
    this.last = last;
  }
}

/**
 * Runs `attempt` until it is done, must not be tried again, or the budget is used up; then the last attempt's own result stands.
 *
 * @param onRetry told of each wait before it begins
 * @throws the reason of `signal`, and whatever `last` of the final attempt throws
 */
export async function withRetry<T>(
  attempt: () => Promise<Attempt<T>>,
  canRetry: (failure: AttemptFailure) => boolean,
  policy: RetryPolicy,
  onRetry: (failure: AttemptFailure, delayMs: number) => void,
  signal: AbortSignal | undefined,
): Promise<T> {
  const startedAt = performance.now();
  try {
    return await pRetry(
      async () => {
        const outcome = await attempt();
        if (outcome.done) return outcome.value;
        throw new Unfinished(outcome.failure, outcome.last);
      },
      {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: policy.firstDelayMs,
        maxTimeout: policy.longestDelayMs,
        maxRetryTime: policy.budgetMs,
        randomize: true,
        ...(signal === undefined ? {} : { signal }),
        shouldRetry: async ({ error, retryDelay }) => {
          if (!(error instanceof Unfinished) || !canRetry(error.failure)) return false;
          const asked = error.failure.kind === 'refused' ? (error.failure.retryAfterMs ?? 0) : 0;
          const extra = Math.max(0, asked - retryDelay);
          if (performance.now() - startedAt + retryDelay + extra > policy.budgetMs) return false;
          onRetry(error.failure, retryDelay + extra);
          await wait(extra, signal);
          return true;
        },
      },
    );
  } catch (error) {
    if (error instanceof Unfinished) return error.last();
    throw error;
  }
}

/** Waits, or rejects with the reason of the signal. */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return;
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal?.reason);
  const timer = setTimeout(resolve, milliseconds);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** What of a request decides whether it may be sent twice. */
type Repetition = Pick<ApiRequest, 'method' | 'path' | 'query' | 'contentType' | 'guarded'>;

/**
 * Whether a second attempt can do no harm and may do good. A refused certificate stays refused; a write that may have reached the
 * server is only repeated where the result is the same.
 */
export function isRetriable(request: Repetition, failure: AttemptFailure): boolean {
  if (failure.kind === 'network') {
    if (failure.failure.reach === 'never-reached') return true;
    return failure.failure.reach === 'broken' && isRepeatable(request);
  }
  if (failure.status === 429) return true;
  if (!isRepeatable(request)) return false;
  if (failure.status === 500)
    return (
      failure.retryAfterMs !== null ||
      /etcdserver: (leader changed|request timed out|too many requests)/.test(failure.message)
    );
  return failure.status === 502 || failure.status === 503 || failure.status === 504;
}

/** A read, a dry run, a question of rights, a server-side apply, a deletion or what can be done only once: twice is the same as once. */
function isRepeatable(request: Repetition): boolean {
  if (request.guarded === true) return true;
  if (request.method === 'GET' || request.method === 'DELETE' || request.query?.['dryRun'] === 'All') return true;
  if (request.method === 'PATCH') return (request.contentType ?? '').startsWith('application/apply-patch');
  return request.method === 'POST' && request.path.startsWith('/apis/authorization.k8s.io/');
}

/** `Retry-After` as seconds or as a date (RFC 9110, 10.2.3), else the hint in the body's Status; null if neither is there. */
export function retryAfterMs(header: string | undefined, hintSeconds: number | undefined, now: number): number | null {
  if (header !== undefined) {
    const seconds = Number(header);
    const milliseconds = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
    if (!Number.isNaN(milliseconds)) return Math.max(0, milliseconds);
  }
  return hintSeconds === undefined || hintSeconds === 0 ? null : hintSeconds * 1_000;
}
