import type { FieldPath, KubernetesObject, Status } from '../kubernetes.ts';
import { itemsWithKey, parseFieldPath } from './field-path.ts';
import { immutableAdvice, withoutDump } from './immutable.ts';
import { findUnreadable } from './unreadable.ts';

/** One field that the server does not take. */
export interface FieldError {
  /** As the server names it; empty if it names none. */
  readonly field: string;
  readonly message: string;
  /** Where it is in the document, as far as the document has it. */
  readonly path: FieldPath;
}

/** The fields that a refusal is about; empty if it is about none, or names none. Values of the document are never part of a message. */
export function fieldErrors(status: Status, object: KubernetesObject): readonly FieldError[] {
  const named = (status.details?.causes ?? []).filter((cause) => !['', '<nil>', undefined].includes(cause.field));
  if (named.length > 0)
    return named.map(({ field = '', message, reason }) => {
      const text = message ?? reason ?? '';
      const said = `${withoutDump(text)}${immutableAdvice(text, object)}`;
      return { field, message: said, path: culprit(parseFieldPath(field, object), text, object) };
    });
  const text = status.message ?? '';
  return typedErrors(text, object) ?? unreadable(text, object) ?? strictErrors(text, object);
}

/** Validation blames a mapping for one of its keys: `metadata.annotations: Invalid value: "a/b/c": …`. */
function culprit(path: FieldPath, message: string, object: KubernetesObject): FieldPath {
  const key = /^Invalid value: "([^"]+)"/.exec(message)?.[1];
  const node = valueAt(object, path);
  const isKey = key !== undefined && typeof node === 'object' && node !== null && Object.hasOwn(node, key);
  return isKey ? [...path, key] : path;
}

/** What server-side apply says of a body that does not fit the schema; it stands in the text only. Source: structured-merge-diff, typed. */
function typedErrors(text: string, object: KubernetesObject): readonly FieldError[] | null {
  const typed = /failed to create typed patch object \([^)]*\): (.*)$/s.exec(text)?.[1];
  if (typed === undefined) return null;
  const lines = typed
    .replace(/^errors:\s*/, '')
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').map((line) => typedError(line, object));
}

function typedError(line: string, object: KubernetesObject): FieldError {
  const match = /^(\.(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|[^\s:[]|:(?! ))*): (.*)$/s.exec(line);
  if (match === null) return { field: '', message: line, path: [] };
  const [field, message] = [match[1] ?? '', match[2] ?? ''];
  const path = parseFieldPath(field, object);
  if (message === 'field not declared in schema')
    return { field, path, message: 'the server knows no such field; is it misspelt, or indented wrongly?' };
  const key = /^duplicate entries for key \[(.*)\]$/.exec(message)?.[1];
  if (key !== undefined) {
    const list = valueAt(object, path);
    const second = Array.isArray(list) ? itemsWithKey(key, list)[1] : undefined;
    const said = `two entries have the same ${key.replaceAll(',', ', ')}; server-side apply needs one of each: remove one`;
    return { field, path: second === undefined ? path : [...path, second], message: said };
  }
  const expected = /^expected (.*?), got /.exec(message)?.[1];
  if (expected === undefined) return { field, path, message };
  return { field, path, message: `must be ${described(expected)}, not ${typeOf(valueAt(object, path))}` };
}

function described(expected: string): string {
  if (expected === 'string') return 'a text (quoted)';
  if (expected.startsWith('numeric')) return 'a number (not quoted)';
  return expected === 'map' ? 'a mapping' : `a ${expected}`;
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

/** A value of the right type that cannot be read: the server names neither it nor its place. */
function unreadable(text: string, object: KubernetesObject): readonly FieldError[] | null {
  const said = /failed to convert new object .*?unable to convert unstructured object to [^:]*: (.*)$/s.exec(text)?.[1];
  if (said === undefined) return null;
  const found = findUnreadable(said, object);
  return found.length > 0 ? found : [{ field: '', message: said, path: [] }];
}

/** What the decoder says of a field that it does not know. Source: apimachinery, strict decoding error. */
function strictErrors(text: string, object: KubernetesObject): readonly FieldError[] {
  return [...text.matchAll(/(unknown|duplicate) field "([^"]+)"/g)].map(([, kind, field = '']) => ({
    field,
    message:
      kind === 'unknown' ? 'the server knows no such field; is it misspelt, or indented wrongly?' : 'it stands twice',
    path: parseFieldPath(field, object),
  }));
}

/** The value at a path; undefined if the object has none there. */
export function valueAt(object: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (node, step) => (node as Readonly<Record<string | number, unknown>> | null | undefined)?.[step],
    object,
  );
}
