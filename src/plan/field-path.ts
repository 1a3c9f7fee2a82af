import type { FieldPath } from '../kubernetes.ts';

/**
 * Reads a field path as the API server writes it, in either of its two styles: `spec.containers[0].image` (validation) and
 * `.spec.containers[name="app"].image` (server-side apply). Keys of lists are looked up in the object, so that the path leads to a line; keys
 * with dots in them, which the server does not quote, are recognised by the object's own keys.
 */
export function parseFieldPath(text: string, object: unknown): FieldPath {
  const path: (string | number)[] = [];
  let node: unknown = object;
  let rest = text;
  while (rest !== '') {
    const [step, length] = rest.startsWith('[') ? bracketed(rest, node) : named(rest.replace(/^\./, ''), node);
    if (step === null) break;
    path.push(step);
    node = (node as Record<string | number, unknown> | null | undefined)?.[step];
    rest = rest.slice(length + (rest.startsWith('.') ? 1 : 0));
  }
  return path;
}

type Step = readonly [step: string | number | null, length: number];

/** The longest of the object's own keys that the text starts with, or the text up to the next dot or bracket. */
function named(text: string, node: unknown): Step {
  const keys = typeof node === 'object' && node !== null && !Array.isArray(node) ? Object.keys(node) : [];
  const own = keys
    .filter((key) => key !== '' && text.startsWith(key) && /^$|^[.[]/.test(text.slice(key.length)))
    .sort((a, b) => b.length - a.length)[0];
  const step = own ?? /^[^.[]*/.exec(text)?.[0] ?? '';
  return [step === '' ? null : step, step.length];
}

/** `[0]`, `[app.kubernetes.io/name]`, `[name="app"]`, `[containerPort=80,protocol="TCP"]` */
function bracketed(text: string, node: unknown): Step {
  const match = /^\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]/.exec(text);
  if (match === null) return [null, 0];
  const inside = match[1] ?? '';
  const length = match[0].length;
  if (/^\d+$/.test(inside)) return [Array.isArray(node) ? Number(inside) : inside, length];
  if (!Array.isArray(node)) return [inside.replace(/^"|"$/g, ''), length];
  const index = itemsWithKey(inside, node)[0];
  return [index ?? null, length];
}

/** The indexes of the items that have the keys of `name="app"` or `containerPort=80,protocol="TCP"`, as server-side apply writes them. */
export function itemsWithKey(text: string, list: readonly unknown[]): readonly number[] {
  const keys = [...text.matchAll(/([\w.-]+)=("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(
    (match) => [match[1] ?? '', (match[2] ?? '').replace(/^"|"$/g, '')] as const,
  );
  if (keys.length === 0) return [];
  return [...list.keys()].filter((index) => keys.every(([key, value]) => matches(list[index], key, value)));
}

/** A key that the item leaves out has the server's default: `protocol: TCP`. */
function matches(item: unknown, key: string, value: string): boolean {
  const own = (item as Readonly<Record<string, unknown>> | null)?.[key];
  return own === undefined ? key === 'protocol' && value === 'TCP' : String(own) === value;
}
