import type { RunContext } from './context.ts';

/** Why GitHub did not do something. */
export interface Refusal {
  /** 0 if nothing was answered. */
  readonly status: number;
  readonly message: string;
  /** Milliseconds; null if GitHub asks for no pause. */
  readonly pauseMs: number | null;
  /** Whether the same request may go through later. */
  readonly isPassing: boolean;
  /** Whether what was asked for may have been done all the same. */
  readonly isAmbiguous: boolean;
}

/**
 * Reads what octokit threw. A 403 or 429 with `Retry-After`, or with no request left until `x-ratelimit-reset`, is a rate limit and passes;
 * any other 4xx stays.
 *
 * @param now milliseconds since the epoch
 * Source: GitHub Docs, "Rate limits for the REST API" and "Best practices".
 */
export function refusalOf(error: unknown, now: number): Refusal {
  const { status, message, headers } = partsOf(error);
  const pauseMs = pauseOf(headers, now);
  const isLimit = status === 429 || (status === 403 && (pauseMs !== null || /rate limit/i.test(message)));
  const isBroken = status === 0 || status >= 500;
  return {
    status,
    message,
    pauseMs: isLimit && pauseMs === null ? 60_000 : pauseMs,
    isPassing: isLimit || isBroken || status === 408,
    isAmbiguous: isBroken || status === 408,
  };
}

interface Parts {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** octokit gives a network error the status 500, and no response. */
function partsOf(error: unknown): Parts {
  if (typeof error !== 'object' || error === null) return { status: 0, message: String(error), headers: {} };
  const { status, message, response } = error as {
    readonly status?: unknown;
    readonly message?: unknown;
    readonly response?: { readonly headers?: Readonly<Record<string, unknown>>; readonly data?: unknown };
  };
  const said = (response?.data as { readonly message?: unknown } | undefined)?.message;
  return {
    status: response === undefined || typeof status !== 'number' ? 0 : status,
    message: typeof said === 'string' ? withErrors(said, response?.data) : String(message),
    headers: response?.headers ?? {},
  };
}

/** What a 422 complains of in particular. */
function withErrors(message: string, data: unknown): string {
  const { errors } = data as { readonly errors?: unknown };
  if (!Array.isArray(errors) || errors.length === 0) return message;
  const texts = errors.map((each: unknown) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return `${message} (${texts.join('; ')})`;
}

function pauseOf(headers: Parts['headers'], now: number): number | null {
  const asked = Number(headers['retry-after'] ?? Number.NaN);
  if (Number.isFinite(asked)) return asked * 1_000;
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
  return String(headers['x-ratelimit-remaining']) === '0' && Number.isFinite(reset)
    ? Math.max(0, reset * 1_000 - now)
    : null;
}

/** What a person has to do about it, in one sentence. */
export function remedyOf({ status, isPassing }: Refusal, permission: string, { isFork }: RunContext): string {
  if (isFork && (status === 403 || status === 404))
    return 'A pull request from a fork has a token that may only read: the job summary says it all';
  if (isPassing) return 'GitHub may be in trouble or limiting requests: the job summary says it all';
  if (status === 401) return 'Check the input github-token';
  if (status === 403 || status === 404) return `Give the job the permission "${permission}"`;
  return 'The job summary says it all';
}
