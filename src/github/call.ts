import type { getOctokit } from '@actions/github';
import pRetry from 'p-retry';
import { type Refusal, refusalOf } from './refusal.ts';

export type GitHub = ReturnType<typeof getOctokit>;

/** GitHub did not do what it was asked for, and asking again did not help. */
export class GitHubError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** One request waits this long for its answer. */
const ATTEMPT_MS = 15_000;

/** How patient a request is. Times in milliseconds. */
export interface Patience {
  /** All attempts of one request together. */
  readonly budgetMs: number;
  /** Before the second attempt; each further wait is twice as long. */
  readonly firstDelayMs: number;
  /** Ends the waiting, whatever is left of the budget. */
  readonly signal: AbortSignal;
}

/**
 * Asks GitHub, again if what came back may pass: rate limits (waiting as long as asked for), 5xx, broken connections.
 *
 * @param attempt `again` is true if an earlier attempt may have been carried out although no answer said so
 * @throws GitHubError
 */
export async function ask<T>(
  attempt: (signal: AbortSignal, again: boolean) => Promise<T>,
  { budgetMs, firstDelayMs, signal }: Patience,
): Promise<T> {
  const startedAt = performance.now();
  let again = false;
  let last: Refusal = { status: 0, message: 'no answer in time', pauseMs: null, isPassing: true, isAmbiguous: true };
  const once = async () => {
    try {
      return await attempt(AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]), again);
    } catch (error) {
      if (!signal.aborted) last = refusalOf(error, Date.now());
      again ||= last.isAmbiguous;
      throw new GitHubError(last);
    }
  };
  try {
    return await pRetry(once, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: firstDelayMs,
      maxTimeout: 10_000,
      maxRetryTime: budgetMs,
      randomize: true,
      signal,
      shouldRetry: async ({ retryDelay }) => {
        const extra = Math.max(0, (last.pauseMs ?? 0) - retryDelay);
        if (!last.isPassing || performance.now() - startedAt + retryDelay + extra > budgetMs) return false;
        await pause(extra, signal);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof GitHubError ? error : new GitHubError(last);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
