import type { ObjectChange } from '../../src/cluster/api.ts';
import type { Recording, RecordingLine } from '../../src/cluster/recording.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { gateOf, isChange } from './gates.ts';
import { isPicked } from './selectors.ts';

/** A collection as a request names it. */
export interface Collection {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** One change with the moment and the version at which it happened; versions grow within a kind. */
export interface TimedChange extends ObjectChange {
  readonly at: number;
  readonly version: bigint;
}

/** The changes of a recording by kind, in order. */
export interface Timeline {
  readonly changes: (collection: Collection) => readonly TimedChange[];
  /** Whether the recording knows the collection, empty or not. */
  readonly knows: (collection: Collection) => boolean;
}

export function createTimeline(recording: Recording): Timeline {
  const startedAt = Date.parse(recording.header.startedAt);
  const byKind = new Map<string, TimedChange[]>();
  const known = new Set<string>();
  const seen = new Set<string>();
  // Without its lines about lists a recording does not tell what was empty from what was not looked at.
  const tells = recording.lines.some((line) => 'listed' in line);
  const namespaces = new Set<string>();
  for (const line of recording.lines) {
    if ('listed' in line) known.add(`${line.listed.apiVersion}/${line.listed.kind}/${line.listed.namespace}`);
    const news = newsOf(line);
    if (news === null) continue;
    const { type, object } = news;
    const kind = kindOf(object);
    if ('change' in line) namespaces.add(object.metadata.namespace ?? '');
    if ('change' in line) known.add(`${kind}/${object.metadata.namespace ?? ''}`);
    const all = byKind.get(kind) ?? [];
    byKind.set(kind, all);
    const same = `${object.metadata.uid} ${object.metadata.resourceVersion} ${type === 'DELETED'}`;
    if (seen.has(same)) continue;
    seen.add(same);
    // What was there before the recording began was there from its beginning, whenever it was listed.
    const isOld =
      type === 'ADDED' &&
      Date.parse(object.metadata.creationTimestamp ?? '') < startedAt &&
      !all.some((one) => one.object.metadata.uid === object.metadata.uid);
    all.push({ ...news, at: isOld ? 0 : news.at, version: 0n });
  }
  for (const [kind, all] of byKind) byKind.set(kind, versioned(all));
  return {
    changes: (collection) =>
      (byKind.get(`${collection.apiVersion}/${collection.kind}`) ?? []).filter(({ object }) =>
        isIn(object, collection),
      ),
    knows: ({ apiVersion, kind, namespace }) =>
      (!tells && namespaces.has(namespace)) ||
      known.has(`${apiVersion}/${kind}/${namespace}`) ||
      known.has(`${apiVersion}/${kind}/`),
  };
}

/** What a line says about an object: a watch saw it, or the recorded run made it so, when it set out to. */
function newsOf(line: RecordingLine): (ObjectChange & { readonly at: number }) | null {
  if ('change' in line) return { ...line.change, at: line.at };
  if (!('request' in line) || !isChange(line) || line.request.method === 'DELETE') return null;
  const { body } = line;
  const isObject = typeof body === 'object' && body !== null && 'metadata' in body && 'kind' in body;
  return isObject ? { type: 'MODIFIED', object: body as KubernetesObject, at: gateOf(line) } : null;
}

/** The state of a collection at a moment, by key, and the version that stands for it. */
export function stateAt(
  changes: readonly TimedChange[],
  at: number,
): { readonly items: readonly KubernetesObject[]; readonly version: bigint } {
  const items = new Map<string, KubernetesObject>();
  let version = 1n;
  for (const change of changes) {
    if (change.at > at) break;
    const key = `${change.object.metadata.namespace ?? ''}/${change.object.metadata.name ?? ''}`;
    version = change.version;
    if (change.type === 'DELETED') items.delete(key);
    else items.set(key, change.object);
  }
  return { items: [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object), version };
}

/** A change keeps its recorded version where that grows; where it does not (a deletion that a list found out), it gets the next one. */
function versioned(changes: readonly TimedChange[]): TimedChange[] {
  let last = 0n;
  const ordered = [...changes].sort((a, b) => a.at - b.at || (recordedVersion(a) < recordedVersion(b) ? -1 : 1));
  return ordered.map((change) => {
    const own = recordedVersion(change);
    last = own > last ? own : last + 1n;
    const object =
      own === last
        ? change.object
        : { ...change.object, metadata: { ...change.object.metadata, resourceVersion: String(last) } };
    return { ...change, object, version: last };
  });
}

function recordedVersion({ object }: ObjectChange): bigint {
  const version = object.metadata.resourceVersion ?? '';
  return /^\d+$/.test(version) ? BigInt(version) : 0n;
}

function kindOf(object: KubernetesObject): string {
  return `${object.apiVersion}/${object.kind}`;
}

function isIn(object: KubernetesObject, { namespace, labelSelector, fieldSelector }: Collection): boolean {
  return (
    (namespace === '' || object.metadata.namespace === namespace) && isPicked(object, labelSelector, fieldSelector)
  );
}
