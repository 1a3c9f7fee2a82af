import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import type { ApiRequest } from './api.ts';
import { attemptTimeout, truncated } from './failure.ts';

const inflate = promisify(gunzip);

/** One HTTP exchange, body read and decoded: JSON as what it says, anything else as text. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly date: string | undefined;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  readonly body: unknown;
  readonly bytes: number;
  /** Local time at which the head arrived, milliseconds since the epoch. */
  readonly headAt: number;
}

/** An answer whose body is still coming. */
export interface WireStream {
  readonly status: number;
  readonly contentType: string;
  readonly date: string | undefined;
  readonly headAt: number;
  readonly body: Dispatcher.ResponseData['body'];
}

export interface WireRequest extends Pick<ApiRequest, 'method' | 'path' | 'query' | 'body' | 'contentType' | 'accept'> {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/**
 * Sends a request and reads its answer to the end.
 *
 * @throws undici's errors, an error with the code ATTEMPT_TIMEOUT or TRUNCATED, and the reason of `signal`
 */
export async function exchange(
  wire: WireRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<WireAnswer> {
  const timer = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await send(wire, signal === undefined ? timer : AbortSignal.any([signal, timer]), true);
    const headAt = Date.now();
    const raw = Buffer.from(await answer.body.arrayBuffer());
    const contentType = header(answer, 'content-type') ?? '';
    const text = (header(answer, 'content-encoding') === 'gzip' ? await inflate(raw) : raw).toString('utf8');
    return {
      status: answer.statusCode,
      contentType,
      date: header(answer, 'date'),
      retryAfter: header(answer, 'retry-after'),
      location: header(answer, 'location'),
      body: contentType.includes('json') ? parse(text) : text,
      bytes: raw.length,
      headAt,
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (timer.aborted) throw attemptTimeout(timeoutMs);
    throw error;
  }
}

/** Sends a request and returns with the answer's head; the body is the caller's to read, and `signal` ends it. */
export async function openStream(wire: WireRequest, headTimeoutMs: number, signal: AbortSignal): Promise<WireStream> {
  const head = new AbortController();
  const timer = setTimeout(() => head.abort(attemptTimeout(headTimeoutMs)), headTimeoutMs);
  try {
    const answer = await send(wire, AbortSignal.any([signal, head.signal]), false);
    return {
      status: answer.statusCode,
      contentType: header(answer, 'content-type') ?? '',
      date: header(answer, 'date'),
      headAt: Date.now(),
      body: answer.body,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (head.signal.aborted) throw head.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function send(wire: WireRequest, signal: AbortSignal, compressed: boolean): Promise<Dispatcher.ResponseData> {
  const query = new URLSearchParams(wire.query).toString();
  return request(`${wire.origin}${wire.path}${query === '' ? '' : `?${query}`}`, {
    method: wire.method,
    dispatcher: wire.dispatcher,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
    headers: {
      ...wire.headers,
      Accept: wire.accept ?? 'application/json',
      ...(compressed ? { 'Accept-Encoding': 'gzip' } : {}),
      ...(wire.body === undefined ? {} : { 'Content-Type': wire.contentType ?? 'application/json' }),
    },
    ...(wire.body === undefined ? {} : { body: JSON.stringify(wire.body) }),
  });
}

function header(answer: Dispatcher.ResponseData, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw truncated(error);
  }
}
