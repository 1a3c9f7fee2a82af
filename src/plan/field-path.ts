import type { FieldPath } from '../kubernetes.ts';

/**
 * Reads a field path as the API server writes it, in either of its two styles: `spec.containers[0].image` (validation) and
 * `.spec.containers[name="app"].image` (server-side apply). Keys of lists are looked up in the object, so that the path leads to a line.
 */
export function parseFieldPath(text: string, object: unknown): FieldPath {
  const tokens = [...text.matchAll(/\.?([^.[\]]+)|\[([^\]]*)\]/g)];
  const path: (string | number)[] = [];
  let node: unknown = object;
  for (const token of tokens) {
    const step = token[1] ?? bracket(token[2] ?? '', node);
    if (step === null) break;
    path.push(step);
    node = (node as Record<string | number, unknown> | null | undefined)?.[step];
  }
  return path;
}

/** `[0]`, `[app.kubernetes.io/name]`, `[name="app"]`, `[containerPort=80,protocol="TCP"]` */
function bracket(inside: string, list: unknown): string | number | null {
  if (/^\d+$/.test(inside)) return Number(inside);
  if (!Array.isArray(list)) return inside.replace(/^"|"$/g, '');
  const keys = [...inside.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(
    (match) => [match[1] ?? '', (match[2] ?? '').replace(/^"|"$/g, '')] as const,
  );
  const index = list.findIndex((item) => keys.length > 0 && keys.every(([key, value]) => matches(item, key, value)));
  return index < 0 ? null : index;
}

/** A key that the item leaves out has the server's default: `protocol: TCP`. */
function matches(item: unknown, key: string, value: string): boolean {
  const own = (item as Readonly<Record<string, unknown>> | null)?.[key];
  return own === undefined ? key === 'protocol' : String(own) === value;
}
