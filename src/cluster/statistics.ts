import type { ApiRequest } from './api.ts';

/** What one verb cost. Durations are milliseconds, of whole requests with their retries, but without the life of a watch. */
export interface VerbStatistics {
  readonly count: number;
  readonly p50: number;
  readonly p999: number;
  readonly longest: number;
}

/** What the run asked of the server. */
export interface RequestStatistics {
  readonly requests: number;
  readonly retries: number;
  readonly bytesReceived: number;
  /** Milliseconds since the epoch by the local clock; null if nothing was asked yet. */
  readonly firstRequestAt: number | null;
  /** By verb, in alphabetical order. */
  readonly verbs: Readonly<Record<string, VerbStatistics>>;
}

export interface Meter {
  readonly sent: () => void;
  readonly retried: () => void;
  readonly received: (bytes: number) => void;
  readonly answered: (verb: string, milliseconds: number) => void;
  readonly read: () => RequestStatistics;
}

export function createMeter(now: () => number): Meter {
  const durations = new Map<string, number[]>();
  let requests = 0;
  let retries = 0;
  let bytesReceived = 0;
  let firstRequestAt: number | null = null;
  return {
    sent: () => {
      firstRequestAt ??= now();
      requests += 1;
    },
    retried: () => {
      retries += 1;
    },
    received: (bytes) => {
      bytesReceived += bytes;
    },
    answered: (verb, milliseconds) => {
      const known = durations.get(verb);
      if (known === undefined) durations.set(verb, [milliseconds]);
      else known.push(milliseconds);
    },
    read: () => {
      const names = [...durations.keys()].sort();
      const verbs = Object.fromEntries(names.map((verb) => [verb, summarize(durations.get(verb) ?? [])]));
      return { requests, retries, bytesReceived, firstRequestAt, verbs };
    },
  };
}

function summarize(values: readonly number[]): VerbStatistics {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p999: at(0.999), longest: sorted.at(-1) ?? 0 };
}

/** The verb as the API server's audit log names it, with `log` and `apply` told apart because they cost differently. */
export function verbOf(request: Pick<ApiRequest, 'method' | 'path' | 'contentType'>): string {
  if (request.method === 'GET') return request.path.endsWith('/log') ? 'log' : 'get';
  if (request.method === 'PATCH')
    return (request.contentType ?? '').startsWith('application/apply-patch') ? 'apply' : 'patch';
  return { POST: 'create', PUT: 'update', DELETE: 'delete' }[request.method];
}
