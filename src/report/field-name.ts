import type { FieldPath } from '../kubernetes.ts';

/** A field as a person writes it: list items by name where they have one, else by number: `spec.template.spec.containers[app].image`. */
export function fieldName(path: FieldPath, object: unknown): string {
  let node: unknown = object;
  let text = '';
  for (const step of path) {
    const next = (node as Record<string | number, unknown> | null | undefined)?.[step];
    const name = typeof step === 'number' ? ((next as { name?: unknown } | undefined)?.name ?? step) : null;
    text += name === null ? `${text === '' ? '' : '.'}${step}` : `[${String(name)}]`;
    node = next;
  }
  return text;
}
