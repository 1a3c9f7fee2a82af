import { GateError } from '../problem.ts';
import type { ApiAnswer, ApiRequest } from './api.ts';
import { type ClockOffset, correction, observeDate } from './clock.ts';
import type { Credential, Credentials } from './credentials.ts';
import type { Dispatchers } from './dispatcher.ts';
import { networkFailure, statusOf } from './failure.ts';
import {
  type Attempt,
  type AttemptFailure,
  isRetriable,
  RETRY_POLICY,
  type RetryPolicy,
  retryAfterMs,
  withRetry,
} from './retry.ts';
import { createMeter, type RequestStatistics, verbOf } from './statistics.ts';
import { explain401, foreignAnswer, isForeign, unanswered, wordsOf } from './trouble.ts';
import { exchange, openStream, type WireAnswer, type WireRequest } from './wire.ts';

/** An open answer, or the refusal. */
export type StreamAnswer =
  | { readonly ok: true; readonly chunks: AsyncIterable<Uint8Array> }
  | Extract<ApiAnswer, { readonly ok: false }>;

/** The requests to one server, with credentials, retries, counting and timing; nothing in it is recorded. */
export interface Transport {
  /** The server's address without credentials. */
  readonly server: string;
  readonly now: () => number;
  /** @throws GateError if no server answered within the budget; the reason of the request's signal */
  readonly request: (request: ApiRequest, policy?: RetryPolicy) => Promise<ApiAnswer>;
  /** One attempt, without retries. @throws whatever the connection throws, and the reason of `signal` */
  readonly stream: (
    request: Pick<ApiRequest, 'path' | 'query' | 'accept'>,
    signal: AbortSignal,
  ) => Promise<StreamAnswer>;
  readonly stats: () => RequestStatistics;
  /** Aborted once the transport is closed. */
  readonly closed: AbortSignal;
  /** Cuts everything that is under way. */
  readonly close: () => Promise<void>;
}

export interface TransportOptions {
  readonly server: string;
  readonly credentials: Credentials;
  readonly dispatchers: Dispatchers;
  readonly userAgent: string;
  readonly onRetry: (notice: string) => void;
  readonly policy?: RetryPolicy;
  /** For one attempt, in milliseconds. */
  readonly attemptTimeoutMs?: number;
}

const ATTEMPT_TIMEOUT_MS = 30_000;

export function createTransport(options: TransportOptions): Transport {
  const { server, credentials, dispatchers } = options;
  const attemptTimeoutMs = options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS;
  const meter = createMeter(Date.now);
  const closing = new AbortController();
  let latest = 0;
  let offset: ClockOffset | null = null;

  function wire(
    request: Pick<ApiRequest, 'method' | 'path' | 'query' | 'body' | 'contentType' | 'accept'>,
    credential: Credential,
  ): WireRequest {
    return {
      ...request,
      origin: server,
      dispatcher: dispatchers.for(credential),
      headers: { 'User-Agent': options.userAgent, ...credential.headers },
    };
  }

  /** Runs `once`, and again with renewed credentials if the server does not know the present ones. */
  async function authorized<T extends { readonly status: number }>(
    once: (credential: Credential) => Promise<T>,
  ): Promise<{ answer: T; credential: Credential }> {
    const credential = await credentials.current();
    const answer = await once(credential);
    if (answer.status !== 401) return { answer, credential };
    const renewed = await credentials.renew(credential);
    return renewed === null ? { answer, credential } : { answer: await once(renewed), credential: renewed };
  }

  async function attempt(request: ApiRequest, signal: AbortSignal): Promise<Attempt<ApiAnswer>> {
    let credential: Credential | null = null;
    try {
      const sent = await authorized((current) => {
        credential = current;
        return exchangeOnce(request, current, signal);
      });
      return judge(sent.answer, sent.credential);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GateError) throw error;
      const failure = networkFailure(error);
      const last = () => {
        throw unanswered(server, dispatchers.proxy, failure, credential, error);
      };
      return { done: false, failure: { kind: 'network', failure, cause: error }, last };
    }
  }

  async function exchangeOnce(request: ApiRequest, credential: Credential, signal: AbortSignal): Promise<WireAnswer> {
    const sentAt = Date.now();
    meter.sent();
    const answer = await exchange(wire(request, credential), attemptTimeoutMs, signal);
    meter.received(answer.bytes);
    offset = observeDate(offset, answer.date, sentAt, answer.headAt);
    return answer;
  }

  function judge(answer: WireAnswer, credential: Credential): Attempt<ApiAnswer> {
    if (isForeign(answer)) throw foreignAnswer(server, answer);
    if (answer.status < 300) return { done: true, value: { ok: true, status: answer.status, body: answer.body } };
    const failure = statusOf(answer.status, answer.body, server);
    const refusal: ApiAnswer = {
      ok: false,
      status: answer.status,
      failure: answer.status === 401 ? explain401(failure, credential) : failure,
    };
    const after = retryAfterMs(answer.retryAfter, failure.details?.retryAfterSeconds, Date.now());
    return {
      done: false,
      failure: { kind: 'refused', status: answer.status, retryAfterMs: after, message: failure.message ?? '' },
      last: () => refusal,
    };
  }

  async function request(asked: ApiRequest, policy: RetryPolicy = options.policy ?? RETRY_POLICY): Promise<ApiAnswer> {
    const signal = asked.signal === undefined ? closing.signal : AbortSignal.any([asked.signal, closing.signal]);
    const startedAt = performance.now();
    const onRetry = (failure: AttemptFailure, delayMs: number) => {
      meter.retried();
      options.onRetry(
        `${asked.method} ${asked.path}: ${wordsOf(failure, server)}; trying again in ${Math.round(delayMs / 100) / 10} s`,
      );
    };
    const answer = await withRetry(
      () => attempt(asked, signal),
      (failure) => isRetriable(asked, failure),
      policy,
      onRetry,
      signal,
    );
    meter.answered(isList(answer) ? 'list' : verbOf(asked), performance.now() - startedAt);
    return answer;
  }

  async function stream(
    asked: Pick<ApiRequest, 'path' | 'query' | 'accept'>,
    signal: AbortSignal,
  ): Promise<StreamAnswer> {
    const until = AbortSignal.any([signal, closing.signal]);
    const startedAt = performance.now();
    const { answer } = await authorized(async (credential) => {
      const sentAt = Date.now();
      meter.sent();
      const opened = await openStream(wire({ ...asked, method: 'GET' }, credential), attemptTimeoutMs, until);
      offset = observeDate(offset, opened.date, sentAt, opened.headAt);
      if (opened.status === 200) return opened;
      return { ...opened, refusal: statusOf(opened.status, parseLoosely(await opened.body.text()), server) };
    });
    meter.answered('watch', performance.now() - startedAt);
    if ('refusal' in answer) return { ok: false, status: answer.status, failure: answer.refusal };
    if (answer.contentType.includes('html')) throw foreignAnswer(server, { ...answer, location: undefined });
    return { ok: true, chunks: counted(answer.body, meter.received) };
  }

  return {
    server,
    // A better estimate of the offset must not make time run backwards.
    now: () => {
      latest = Math.max(latest, Date.now() + correction(offset));
      return latest;
    },
    request,
    stream,
    stats: meter.read,
    closed: closing.signal,
    close: async () => {
      closing.abort(GateError.of(`The connection to ${server} was closed.`));
      await dispatchers.close();
    },
  };
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  received: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    received(chunk.length);
    yield chunk;
  }
}

function isList(answer: ApiAnswer): boolean {
  return answer.ok && typeof answer.body === 'object' && answer.body !== null && 'items' in answer.body;
}

function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
