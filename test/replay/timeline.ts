import type { ObjectChange } from '../../src/cluster/api.ts';
import type { Recording } from '../../src/cluster/recording.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
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
  /** Moments at which anything happens, ascending. */
  readonly moments: readonly number[];
}

export function createTimeline(recording: Recording): Timeline {
  const startedAt = Date.parse(recording.header.startedAt);
  const byKind = new Map<string, TimedChange[]>();
  const known = new Set<string>();
  const seen = new Set<string>();
  for (const line of recording.lines) {
    if ('listed' in line) known.add(`${line.listed.apiVersion}/${line.listed.kind}/${line.listed.namespace}`);
    if (!('change' in line)) continue;
    const { type, object } = line.change;
    const kind = kindOf(object);
    known.add(`${kind}/${object.metadata.namespace ?? ''}`);
    const all = byKind.get(kind) ?? [];
    byKind.set(kind, all);
    const same = `${object.metadata.uid} ${object.metadata.resourceVersion} ${type}`;
    if (seen.has(same)) continue;
    seen.add(same);
    // What was there before the recording began was there from its beginning, whenever it was listed.
    const isOld =
      type === 'ADDED' &&
      Date.parse(object.metadata.creationTimestamp ?? '') < startedAt &&
      !all.some((one) => one.object.metadata.uid === object.metadata.uid);
    all.push({ type, object, at: isOld ? 0 : line.at, version: 0n });
  }
  for (const [kind, all] of byKind) byKind.set(kind, versioned(all));
  return {
    changes: (collection) =>
      (byKind.get(`${collection.apiVersion}/${collection.kind}`) ?? []).filter(({ object }) =>
        isIn(object, collection),
      ),
    knows: ({ apiVersion, kind, namespace }) =>
      known.has(`${apiVersion}/${kind}/${namespace}`) || known.has(`${apiVersion}/${kind}/`),
    moments: [...new Set([...byKind.values()].flat().map((change) => change.at))].sort((a, b) => a - b),
  };
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
