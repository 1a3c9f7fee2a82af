import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Known, Lookup } from '../rollout/view.ts';
import { redactObject } from '../text/redact.ts';
import type { ApiAnswer, ApiResource, ObjectChange } from './api.ts';
import type { SentRequest } from './connect.ts';
import type { RecordingHeader, RecordingLine } from './recording.ts';
import type { Subscription } from './subscription.ts';

/** Writes what the cluster delivered, redacted, line by line: what is written survives if the process is killed. */
export interface Recorder {
  readonly change: (change: ObjectChange) => void;
  readonly exchange: (request: SentRequest, answer: ApiAnswer) => void;
  readonly lookup: (lookup: Lookup, known: Known<unknown>) => void;
  /** Written only when it says something new. */
  readonly resource: (apiVersion: string, kind: string, found: ApiResource | null) => void;
  /** A collection was listed for the first time, after its changes. */
  readonly listed: (subscription: Subscription) => void;
  readonly forbidden: (right: string) => void;
  readonly following: (what: unknown) => void;
  /** Why the recording ended before the run; null while it goes on. */
  readonly stopped: () => string | null;
  readonly close: () => void;
}

export interface RecorderOptions {
  readonly file: string;
  readonly header: Omit<RecordingHeader, 'rolloutGate' | 'version' | 'startedAt'>;
  /** The secret values known so far. */
  readonly secrets: () => readonly string[];
  /** Milliseconds since the epoch by the server's clock. */
  readonly now: () => number;
  readonly limitBytes?: number;
}

const LIMIT_BYTES = 64 * 1024 * 1024;

/** `Omit` would take the alternatives of a union together; this keeps them apart. */
type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;

/** Opens the file and writes the header. What goes wrong later ends the recording, not the run. @throws if the file cannot be opened */
export function createRecorder(options: RecorderOptions): Recorder {
  const limitBytes = options.limitBytes ?? LIMIT_BYTES;
  const startedAt = options.now();
  const resources = new Map<string, string>();
  mkdirSync(dirname(options.file), { recursive: true });
  const file = openSync(options.file, 'w', 0o600);
  let bytes = 0;
  let last = 0;
  let stopped: string | null = null;
  let open = true;

  function put(text: string): void {
    writeFileSync(file, text);
    bytes += Buffer.byteLength(text);
  }

  function write(line: WithoutTime<RecordingLine>): void {
    if (!open || stopped !== null) return;
    last = Math.max(last, Math.round(options.now() - startedAt));
    const text = `${JSON.stringify({ at: last, ...redactObject(line, options.secrets()) })}\n`;
    try {
      if (bytes + Buffer.byteLength(text) > limitBytes)
        stopped = `the recording reached its limit of ${limitBytes} bytes`;
      put(stopped === null ? text : `${JSON.stringify({ at: last, stopped })}\n`);
    } catch (error) {
      stopped = `the recording cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  const header: RecordingHeader = {
    rolloutGate: 'recording',
    version: 1,
    startedAt: new Date(startedAt).toISOString(),
    ...options.header,
  };
  put(`${JSON.stringify(redactObject(header, options.secrets()))}\n`);
  return {
    change: (change) => write({ change }),
    exchange: (request, answer) => write(exchangeLine(request, answer)),
    lookup: (lookup, known) => write({ lookup, known }),
    resource: (apiVersion, kind, found) => {
      const key = `${apiVersion}/${kind}`;
      const value = JSON.stringify(found);
      if (resources.get(key) === value) return;
      resources.set(key, value);
      write({ resource: { apiVersion, kind, found } });
    },
    listed: ({ resource: { apiVersion, kind }, namespace, labelSelector = '', fieldSelector = '' }) =>
      write({ listed: { apiVersion, kind, namespace, labelSelector, fieldSelector } }),
    forbidden: (right) => write({ forbidden: right }),
    following: (what) => write({ following: what }),
    stopped: () => stopped,
    close: () => {
      if (open) closeSync(file);
      open = false;
    },
  };
}

function exchangeLine(request: SentRequest, answer: ApiAnswer): WithoutTime<RecordingLine> {
  const { method, path, query = {} } = request;
  const asksRights = path.startsWith('/apis/authorization.k8s.io/');
  return {
    request: { method, path, query, ...(asksRights ? { body: request.body } : {}) },
    took: Math.round(request.tookMs),
    status: answer.status,
    body: answer.ok ? answer.body : answer.failure,
  };
}
