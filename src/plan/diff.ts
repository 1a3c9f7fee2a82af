import { isDeepStrictEqual } from 'node:util';
import type { FieldChange } from '../apply/applied.ts';
import type { KubernetesObject } from '../kubernetes.ts';
import { hiddenChange } from './hidden.ts';

/** What the server keeps for itself: no change of it is anybody's request. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
]);
/** Bookkeeping of kubectl (it repeats the whole object, Secrets in clear) and of the server. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.daemonset.template.generation',
]);
/** Fields by which the items of a list are known, in the order in which Kubernetes' own lists use them. */
const ITEM_KEYS: readonly string[] = ['name', 'mountPath', 'containerPort', 'port', 'key', 'topologyKey', 'type', 'ip'];

/**
 * What an apply changes in a live object: every field that differs, as a person would write its path. Values of Secrets are never shown.
 *
 * @param before the live object; null if there is none
 * @param after the object as the server returned it for the apply or its dry run
 */
export function diff(before: KubernetesObject | null, after: KubernetesObject): readonly FieldChange[] {
  if (before === null) return [];
  const changes = compare('', withoutServerFields(before), withoutServerFields(after));
  return changes.map((change) => hiddenChange(change, after));
}

/** The object without status and without what the server and kubectl note down for themselves. */
export function withoutServerFields(object: KubernetesObject): Readonly<Record<string, unknown>> {
  const { status: _status, metadata, ...rest } = object;
  const { annotations, ...others } = metadata;
  const kept = Object.entries(others).filter(([key]) => !SERVER_FIELDS.has(key));
  const notes = Object.entries(annotations ?? {}).filter(([key]) => !BOOKKEEPING.has(key));
  const shown = notes.length === 0 ? [] : [['annotations', Object.fromEntries(notes)] as const];
  return { ...rest, metadata: Object.fromEntries([...kept, ...shown]) };
}

type Mapping = Readonly<Record<string, unknown>>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compare(path: string, from: unknown, to: unknown): readonly FieldChange[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isMapping(from) && isMapping(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.flatMap((key) => compare(pathOf(path, key), from[key], to[key]));
  }
  if (Array.isArray(from) && Array.isArray(to)) return compareLists(path, from, to);
  return [{ path, from, to }];
}

/** The path of a key. One with dots in it (a label, an annotation) is bracketed, so that the path can be read. */
export function pathOf(path: string, key: string): string {
  if (path === '') return key;
  return /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${key}]`;
}

function compareLists(path: string, from: readonly unknown[], to: readonly unknown[]): readonly FieldChange[] {
  const key = ITEM_KEYS.find((each) => isKeyOf(each, from) && isKeyOf(each, to));
  if (key === undefined) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, index) => compare(`${path}[${index}]`, from[index], to[index])).flat();
  }
  const [before, after] = [byKey(key, from), byKey(key, to)];
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) =>
    compare(`${path}[${name}]`, before.get(name), after.get(name)),
  );
  // The same items in another order: that is a change too, of the list as a whole.
  return changes.length > 0 ? changes : [{ path, from: [...before.keys()], to: [...after.keys()] }];
}

function isKeyOf(key: string, list: readonly unknown[]): boolean {
  const values = list.map((item) => (isMapping(item) ? item[key] : undefined));
  return (
    values.every((value) => typeof value === 'string' || typeof value === 'number') &&
    new Set(values.map(String)).size === values.length
  );
}

function byKey(key: string, list: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(list.map((item) => [String((item as Mapping)[key]), item]));
}
