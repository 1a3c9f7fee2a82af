import type { ManagedFieldsEntry } from '../kubernetes.ts';

/** What one manager owns: nested mappings, `f:name` a field, `k:{…}` a list item by its keys, `v:…` one by its value, `.` the thing itself. */
export type FieldSet = Readonly<Record<string, object>>;

export function fieldSetOf(entry: ManagedFieldsEntry): FieldSet {
  return (entry.fieldsV1 ?? {}) as FieldSet;
}

/** The fields of both. Source: structured-merge-diff, FieldsV1. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, union((a[key] ?? {}) as FieldSet, (b[key] ?? {}) as FieldSet)]),
  );
}

/** The part of a field set that an object has. */
export function within(fields: FieldSet, object: unknown): FieldSet {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, inner]): [string, FieldSet][] => {
      const value = member(object, key);
      return value === undefined ? [] : [[key, within(inner as FieldSet, value)]];
    }),
  );
}

/** The keys to each part of a field set that an object does not have, the whole part once. */
export function missingFrom(object: unknown, fields: FieldSet): readonly (readonly string[])[] {
  return Object.entries(fields).flatMap(([key, inner]) => {
    const value = member(object, key);
    if (value === undefined) return [[key]];
    return missingFrom(value, inner as FieldSet).map((rest) => [key, ...rest]);
  });
}

/** Whether a field set has what the keys lead to. */
export function owns(fields: FieldSet, keys: readonly string[]): boolean {
  return keys.reduce<FieldSet | undefined>((set, key) => set?.[key] as FieldSet | undefined, fields) !== undefined;
}

/** What a key of a field set leads to; undefined if the object has nothing there. */
export function member(object: unknown, key: string): unknown {
  if (key === '.') return object;
  if (key.startsWith('v:')) {
    const value: unknown = JSON.parse(key.slice(2));
    return Array.isArray(object) && object.includes(value) ? value : undefined;
  }
  if (key.startsWith('f:')) return isObject(object) ? object[key.slice(2)] : undefined;
  if (!key.startsWith('k:') || !Array.isArray(object)) return undefined;
  const wanted = Object.entries(JSON.parse(key.slice(2)) as Readonly<Record<string, unknown>>);
  return object.find((item) => isObject(item) && wanted.every(([name, value]) => has(item, name, value)));
}

/** A key that the item leaves out has the server's default: `protocol: TCP`. */
function has(item: Readonly<Record<string, unknown>>, name: string, value: unknown): boolean {
  return item[name] === undefined ? name === 'protocol' && value === 'TCP' : item[name] === value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
