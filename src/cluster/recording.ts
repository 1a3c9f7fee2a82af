import type { Known, Lookup } from '../rollout/view.ts';
import type { ApiRequest, ApiResource, ObjectChange } from './api.ts';

/** The first line of a recording. */
export interface RecordingHeader {
  readonly rolloutGate: 'recording';
  readonly version: 1;
  /** Name and version of what wrote it. */
  readonly tool: string;
  /** `gitVersion` of the API server. */
  readonly server: string;
  /** RFC 3339, by the server's clock: the moment that every `at` counts from. */
  readonly startedAt: string;
  /** What the run was asked for, secrets out. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly scenario?: string;
}

/** All other lines. `at`: milliseconds since `startedAt`, by the server's clock, never less than in the line before. */
export type RecordingLine = { readonly at: number } & (
  | { readonly change: ObjectChange }
  /**
   * A request with what the server answered `took` milliseconds later, which is when the line was written: `body` is the object, the list or the
   * text, or the Status of a refusal.
   */
  | { readonly request: RecordedRequest; readonly took: number; readonly status: number; readonly body: unknown }
  | { readonly lookup: Lookup; readonly known: Known<unknown> }
  | { readonly resource: { readonly apiVersion: string; readonly kind: string; readonly found: ApiResource | null } }
  /** A collection was listed for the first time: its objects stand in the lines before. */
  | { readonly listed: RecordedCollection }
  /** A collection that may not be listed: `list events in shop`. */
  | { readonly forbidden: string }
  /** From here on, with all lists complete, this is judged on these terms: so it can be judged again without the run. */
  | { readonly following: unknown }
  /** The last line, if the recording ends before the run does. */
  | { readonly stopped: string }
);

export interface RecordedCollection {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

export interface RecordedRequest {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Only where path and query do not say what was asked: questions of rights. */
  readonly body?: unknown;
}

export interface Recording {
  readonly header: RecordingHeader;
  readonly lines: readonly RecordingLine[];
}

/**
 * Reads a recording. A last line that is torn, because the process was killed, is left out.
 *
 * @throws Error that names the line which is not one of a recording
 */
export function parseRecording(text: string): Recording {
  const rows = text.split('\n');
  const torn = rows.pop() ?? '';
  const parsed = rows.map((row, index) => parseRow(row, index + 1));
  if (torn.trim() !== '' && isWhole(torn)) parsed.push(parseRow(torn, rows.length + 1));
  const [header, ...lines] = parsed;
  if (!isHeader(header))
    throw new Error('line 1 is not the header of a recording: {"rolloutGate":"recording","version":1,…} was expected');
  return { header, lines: lines as unknown as readonly RecordingLine[] };
}

function parseRow(row: string, number: number): Readonly<Record<string, unknown>> {
  const value = isWhole(row) ? (JSON.parse(row) as unknown) : null;
  const isLine =
    typeof value === 'object' && value !== null && (number === 1 || ('at' in value && typeof value.at === 'number'));
  if (!isLine) throw new Error(`line ${number} is not a line of a recording`);
  return value as Readonly<Record<string, unknown>>;
}

function isWhole(row: string): boolean {
  try {
    JSON.parse(row);
    return true;
  } catch {
    return false;
  }
}

function isHeader(value: unknown): value is RecordingHeader {
  return (
    typeof value === 'object' &&
    value !== null &&
    'rolloutGate' in value &&
    value.rolloutGate === 'recording' &&
    'version' in value &&
    value.version === 1
  );
}
