import {
  type ControllerRevision,
  type Event,
  type KubernetesObject,
  type ObjectRef,
  type Pod,
  type ReplicaSet,
  refKey,
  refOf,
} from '../kubernetes.ts';
import { remember } from './memory.ts';
import { eventTimes } from './time.ts';
import type { Known, Lookup, PodMemory, View } from './view.ts';

/** Events kept for one object: rules look at the recent ones, and the API server merges repetitions itself. */
const EVENTS_KEPT = 64;

/** A change of one object, as a watch delivers it. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

/** Keeps the view: takes in what watches and lookups deliver, in whatever order, and answers as of now. */
export interface Store {
  readonly view: View;
  /** @param now milliseconds since the epoch by the server's clock, at which the change arrived */
  readonly take: (change: Change, now: number) => void;
  readonly learn: (lookup: Lookup, known: Known<unknown>) => void;
  readonly forbid: (right: string) => void;
}

/** The same key for two lookups that ask the same thing, in whichever order their fields were written. */
export function lookupKey(lookup: Lookup): string {
  const { kind, ...rest } = lookup;
  const fields = Object.entries('ref' in rest ? rest.ref : rest).sort(([a], [b]) => a.localeCompare(b));
  return JSON.stringify([kind, ...fields]);
}

export function createStore(): Store {
  const objects = new Map<string, KubernetesObject>();
  const departed = new Map<string, KubernetesObject>();
  const byNamespace = new Map<string, Map<string, KubernetesObject>>();
  const podsByOwner = new Map<string, Map<string, Pod>>();
  const eventsByObject = new Map<string, Map<string, Event>>();
  const memories = new Map<string, PodMemory>();
  const lookups = new Map<string, Known<unknown>>();
  const forbidden = new Set<string>();

  function take(change: Change, now: number): void {
    const ref = refOf(change.object);
    const key = refKey(ref);
    if (isEvent(change.object)) {
      takeEvent(change.type, key, change.object);
      return;
    }
    const gone = change.type === 'DELETED';
    const bucket = bucketOf(byNamespace, `${ref.kind}/${ref.namespace}`);
    if (gone) {
      if (ref.kind !== 'Pod') departed.set(key, change.object);
      objects.delete(key);
      bucket.delete(ref.name);
    } else {
      objects.set(key, change.object);
      bucket.set(ref.name, change.object);
    }
    if (ref.kind === 'Pod') takePod(change.object as unknown as Pod, gone, now);
  }

  function takePod(pod: Pod, gone: boolean, now: number): void {
    const uid = pod.metadata?.uid ?? '';
    const owner = controllerUid(pod.metadata?.ownerReferences) ?? '';
    const siblings = bucketOf(podsByOwner, owner);
    if (gone) siblings.delete(uid);
    else siblings.set(uid, pod);
    memories.set(uid, remember(memories.get(uid) ?? null, pod, now));
  }

  function takeEvent(type: Change['type'], key: string, event: Event): void {
    // The API server drops old events after an hour: what they said was true all the same.
    if (type === 'DELETED') return;
    const events = bucketOf(eventsByObject, event.involvedObject.uid ?? '');
    events.set(key, event);
    const oldest = events.size > EVENTS_KEPT ? events.keys().next().value : undefined;
    if (oldest !== undefined) events.delete(oldest);
  }

  function list<T>(kind: string, namespace: string): readonly T[] {
    return [...(byNamespace.get(`${kind}/${namespace}`)?.values() ?? [])] as unknown as readonly T[];
  }

  const view: View = {
    object: (ref: ObjectRef) => objects.get(refKey(ref)) ?? null,
    departed: (ref: ObjectRef) => departed.get(refKey(ref)) ?? null,
    replicaSets: (namespace) => list<ReplicaSet>('ReplicaSet', namespace),
    controllerRevisions: (namespace) => list<ControllerRevision>('ControllerRevision', namespace),
    pods: (namespace) => list<Pod>('Pod', namespace),
    podsOf: (ownerUid) => byName([...(podsByOwner.get(ownerUid)?.values() ?? [])]),
    memory: (uid) => memories.get(uid) ?? null,
    events: (uid) => byTime([...(eventsByObject.get(uid)?.values() ?? [])]),
    lookup: (lookup) => (lookups.get(lookupKey(lookup)) ?? { state: 'unread' }) as never,
    get forbidden() {
      return [...forbidden].sort();
    },
  };
  return {
    view,
    take,
    learn: (lookup, known) => lookups.set(lookupKey(lookup), known),
    forbid: (right) => forbidden.add(right),
  };
}

function isEvent(object: KubernetesObject): object is KubernetesObject & Event {
  return object.kind === 'Event';
}

function bucketOf<T>(buckets: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const existing = buckets.get(key);
  if (existing !== undefined) return existing;
  const bucket = new Map<string, T>();
  buckets.set(key, bucket);
  return bucket;
}

function byName(pods: Pod[]): readonly Pod[] {
  return pods.sort((a, b) => (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? ''));
}

function byTime(events: Event[]): readonly Event[] {
  return events.sort(
    (a, b) => eventTimes(a).last - eventTimes(b).last || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
  );
}

/** The uid of the object that controls another. Source: metav1.GetControllerOf. */
export function controllerUid(
  owners: readonly { readonly controller?: boolean; readonly uid: string }[] | undefined,
): string | null {
  return owners?.find((owner) => owner.controller === true)?.uid ?? null;
}
