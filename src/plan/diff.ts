import { isDeepStrictEqual } from 'node:util';
import type { FieldChange } from '../apply/applied.ts';
import type { KubernetesObject } from '../kubernetes.ts';

/** What the server keeps for itself: no change of it is anybody's request. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
]);
/** Fields by which the items of a list are known, in the order in which Kubernetes' own lists use them. */
const ITEM_KEYS: readonly string[] = ['name', 'mountPath', 'containerPort', 'port', 'key', 'topologyKey', 'type', 'ip'];
const HIDDEN = '(hidden)';

/**
 * What an apply changes in a live object: every field that differs, as a person would write its path. Values of Secrets are never shown.
 *
 * @param before the live object; null if there is none
 * @param after the object as the server returned it for the apply or its dry run
 */
export function diff(before: KubernetesObject | null, after: KubernetesObject): readonly FieldChange[] {
  if (before === null) return [];
  const changes = compare('', withoutServerFields(before), withoutServerFields(after));
  const isSecret = after.kind === 'Secret' && groupless(after);
  return changes.map((change) => (isSecret && /^(data|stringData)\b/.test(change.path)) || isSecretVariable(change.path) ? hidden(change) : change);
}

/** A variable whose name says that its value is nobody's business. */
function isSecretVariable(path: string): boolean {
  return /\.env\[[^\]]*(pass|token|secret|credential|key|auth|dsn)[^\]]*\]/i.test(path);
}

function groupless(object: KubernetesObject): boolean {
  return !object.apiVersion.includes('/');
}

function withoutServerFields(object: KubernetesObject): Readonly<Record<string, unknown>> {
  const { status: _status, metadata, ...rest } = object;
  const kept = Object.entries(metadata).filter(([key]) => !SERVER_FIELDS.has(key));
  return { ...rest, metadata: Object.fromEntries(kept) };
}

function hidden(change: FieldChange): FieldChange {
  return { path: change.path, from: change.from === undefined ? undefined : HIDDEN, to: change.to === undefined ? undefined : HIDDEN };
}

type Mapping = Readonly<Record<string, unknown>>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compare(path: string, from: unknown, to: unknown): readonly FieldChange[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isMapping(from) && isMapping(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.flatMap((key) => compare(path === '' ? key : `${path}${step(key)}`, from[key], to[key]));
  }
  if (Array.isArray(from) && Array.isArray(to)) return compareLists(path, from, to);
  return [{ path, from, to }];
}

/** A key with dots in it (a label, an annotation) is bracketed, so that the path can be read. */
function step(key: string): string {
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${key}]`;
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
    new Set(values).size === values.length
  );
}

function byKey(key: string, list: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(list.map((item) => [String((item as Mapping)[key]), item]));
}
