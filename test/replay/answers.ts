import { isDeepStrictEqual } from 'node:util';
import type { Recording, RecordingLine } from '../../src/cluster/recording.ts';
import type { Known, Lookup } from '../../src/rollout/view.ts';
import { type Exchange, gateOf, isChange } from './gates.ts';
import type { Named } from './resources.ts';

/** A request as it arrives. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The moment of the recording at which a change was made; null for a read. */
  readonly gate: number | null;
}

type LookupLine = Extract<RecordingLine, { readonly lookup: unknown }>;

/** What differs from run to run without asking anything else. */
const VOLATILE = [
  'limit',
  'continue',
  'timeoutSeconds',
  'resourceVersion',
  'resourceVersionMatch',
  'allowWatchBookmarks',
  'tailLines',
  'limitBytes',
];
const METADATA_LIST = /^(Node|ResourceQuota|LimitRange|HorizontalPodAutoscaler|PodDisruptionBudget)$/;

/** Answers requests as the recording answered them: the n-th time with the n-th answer, then with the last. */
export function recordedAnswers(recording: Recording): (asked: Asked) => Answer | null {
  const exchanges = recording.lines.filter((line): line is Exchange => 'request' in line);
  const counts = new Map<Exchange, number>();
  return (asked) => {
    const matching = exchanges.filter((line) => isSame(line, asked, VOLATILE));
    // The program may call itself something else by now.
    const loose =
      matching.length > 0
        ? matching
        : exchanges.filter((line) => isSame(line, asked, [...VOLATILE, 'fieldManager', 'force', 'fieldValidation']));
    const first = loose[0];
    if (first === undefined) return null;
    const count = counts.get(first) ?? 0;
    counts.set(first, count + 1);
    const line = loose[Math.min(count, loose.length - 1)] ?? first;
    return { status: line.status, body: line.body, gate: isChange(line) ? gateOf(line) : null };
  };
}

function isSame({ request }: Exchange, asked: Asked, ignored: readonly string[]): boolean {
  if (request.method !== asked.method || request.path !== asked.path) return false;
  if (request.body !== undefined && !isDeepStrictEqual(request.body, asked.body)) return false;
  const relevant = (query: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(query).filter(([key]) => !ignored.includes(key)));
  return isDeepStrictEqual(relevant(request.query), relevant(asked.query));
}

/** Answers a read that a rule asked for, as it was answered last before this moment, or else first after it. */
export function lookedUp(
  recording: Recording,
  named: Named,
  query: Readonly<Record<string, string>>,
  at: number,
): Answer | null {
  const lines = recording.lines.filter((line): line is LookupLine => 'lookup' in line);
  const matching = bestOf(lines, named, query);
  const line = matching.findLast((one) => one.at <= at) ?? matching[0];
  return line === undefined ? null : { ...answerTo(line, named), gate: null };
}

/** A log of the wrong run is better than none: the program itself falls back so. */
function bestOf(
  lines: readonly LookupLine[],
  named: Named,
  query: Readonly<Record<string, string>>,
): readonly LookupLine[] {
  if (named.subresource !== 'log') return lines.filter((line) => asksFor(line.lookup, named, query));
  const ofContainer = lines.filter(
    ({ lookup }) =>
      lookup.kind === 'log' &&
      lookup.namespace === named.namespace &&
      lookup.pod === named.name &&
      lookup.container === query['container'],
  );
  const ofRun = ofContainer.filter(
    ({ lookup }) => lookup.kind === 'log' && lookup.previous === (query['previous'] === 'true'),
  );
  return ofRun.length > 0 ? ofRun : ofContainer;
}

function asksFor(
  lookup: Lookup,
  { resource, namespace, name, subresource }: Named,
  query: Readonly<Record<string, string>>,
): boolean {
  if (subresource !== '') return false;
  const isList = name === '' && METADATA_LIST.test(resource.kind);
  switch (lookup.kind) {
    case 'nodes':
      return isList && resource.kind === 'Node';
    case 'scheduled-pods':
      return (
        name === '' &&
        namespace === '' &&
        resource.kind === 'Pod' &&
        (query['fieldSelector'] ?? '').includes('spec.nodeName')
      );
    case 'quotas':
      return isList && resource.kind === 'ResourceQuota' && lookup.namespace === namespace;
    case 'has-pods':
      // It is asked before an apply, which no recording holds.
      return false;
    case 'limit-ranges':
      return isList && resource.kind === 'LimitRange' && lookup.namespace === namespace;
    case 'pod-autoscalers':
      return isList && resource.kind === 'HorizontalPodAutoscaler' && lookup.namespace === namespace;
    case 'disruption-budgets':
      return isList && resource.kind === 'PodDisruptionBudget' && lookup.namespace === namespace;
    case 'exists':
    case 'object':
      return (
        name !== '' &&
        resource.kind === lookup.ref.kind &&
        lookup.ref.name === name &&
        (resource.namespaced ? lookup.ref.namespace : '') === namespace
      );
    case 'config-map':
      return name !== '' && resource.kind === 'ConfigMap' && lookup.name === name && lookup.namespace === namespace;
    case 'log':
      return false;
  }
}

function answerTo({ lookup, known }: LookupLine, named: Named): { readonly status: number; readonly body: unknown } {
  if (known.state !== 'known') return refusal(known, named);
  if (lookup.kind === 'log')
    return { status: 200, body: (known.value as readonly string[]).map((line) => `${line}\n`).join('') };
  if (named.name === '') return { status: 200, body: listOf(named, known.value as readonly unknown[], '1') };
  if (known.value === null || known.value === false)
    return { status: 404, body: failure(404, 'NotFound', `${named.resource.plural} "${named.name}" not found`) };
  if (known.value !== true) return { status: 200, body: known.value };
  const metadata = { name: named.name, ...(named.namespace === '' ? {} : { namespace: named.namespace }) };
  return { status: 200, body: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } };
}

function refusal(
  known: Exclude<Known<unknown>, { readonly state: 'known' }>,
  named: Named,
): { readonly status: number; readonly body: unknown } {
  if (known.state === 'failed') return { status: 500, body: failure(500, 'InternalError', known.reason) };
  return {
    status: 403,
    body: failure(403, 'Forbidden', `${named.resource.plural} is forbidden: User "replay" cannot read it`),
  };
}

export function listOf(named: Named, items: readonly unknown[], version: string, next = ''): object {
  return {
    kind: `${named.resource.kind}List`,
    apiVersion: named.resource.apiVersion,
    metadata: { resourceVersion: version, ...(next === '' ? {} : { continue: next }) },
    items,
  };
}

export function failure(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}
