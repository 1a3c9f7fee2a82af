import type { FieldPath, KubernetesObject } from '../kubernetes.ts';
import type { FieldError } from './field-errors.ts';

/** Source: apimachinery, resource.ParseQuantity. */
const QUANTITY = /^[+-]?(\d+\.?\d*|\.\d+)(([KMGTPE]i)|[numkMGTPE]|[eE][+-]?\d+)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/\s]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The values that made the server say "quantities must match the regular expression" or "illegal base64 data", of which it names none.
 * The value of a Secret is not repeated.
 */
export function findUnreadable(said: string, object: KubernetesObject): readonly FieldError[] {
  if (said.includes('quantities must match'))
    return quantities(object, [])
      .filter(({ value }) => !QUANTITY.test(String(value)))
      .map(({ path, value }) => ({
        field: formatted(path),
        path,
        message: `${JSON.stringify(value)} is no quantity; write it like 500m, 2, 1Gi or 1G`,
      }));
  if (said.includes('illegal base64 data'))
    return encoded(object)
      .filter(({ value }) => !BASE64.test(String(value).replace(/[\r\n]/g, '')))
      .map(({ path }) => ({
        field: formatted(path),
        path,
        message: `the value is not base64${path[0] === 'data' ? '; plain text belongs under stringData' : ''}`,
      }));
  return [];
}

interface Found {
  readonly path: FieldPath;
  readonly value: unknown;
}

function encoded(object: KubernetesObject): readonly Found[] {
  const field = object.kind === 'Secret' ? 'data' : 'binaryData';
  const values = object[field];
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values).map(([key, value]) => ({ path: [field, key], value }));
}

/** Every value that a pod, a claim, a quota or a limit range means as a quantity. */
function quantities(node: unknown, path: FieldPath): readonly Found[] {
  if (typeof node !== 'object' || node === null) return [];
  const found = Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    const step = Array.isArray(node) ? Number(key) : key;
    const here = [...path, step];
    if (key === 'sizeLimit' || key === 'divisor') return [{ path: here, value }];
    return [...(isQuantityMap(key) ? scalars(value, here) : []), ...quantities(value, here)];
  });
  return found;
}

function isQuantityMap(key: string): boolean {
  return ['limits', 'requests', 'overhead', 'hard', 'capacity', 'default', 'defaultRequest', 'max', 'min'].includes(
    key,
  );
}

function scalars(node: unknown, path: FieldPath): readonly Found[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node)
    .filter(([, value]) => typeof value !== 'object')
    .map(([key, value]: [string, unknown]) => ({ path: [...path, key], value }));
}

function formatted(path: FieldPath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
    .join('');
}
