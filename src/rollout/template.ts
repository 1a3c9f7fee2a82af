import type { PodTemplateSpec } from '../kubernetes.ts';
import { parseQuantity } from '../quantity.ts';

/** The label that the Deployment controller adds to the template of each ReplicaSet it makes. */
const TEMPLATE_HASH_LABEL = 'pod-template-hash';
/** Fields of a pod whose value is a quantity, and fields whose values are. */
const QUANTITY_FIELDS: ReadonlySet<string> = new Set(['sizeLimit', 'divisor', 'storage']);
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'requests', 'overhead']);

/**
 * Whether two templates of the server ask for the same pods. Quantities are compared by what they amount to: the controller keeps the
 * ReplicaSet when `1Gi` becomes `1073741824`. Source: deployment controller, EqualIgnoreHash (apiequality.Semantic.DeepEqual).
 */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return same(withoutHash(a), withoutHash(b), '', '');
}

/** A label map that is absent equals one that is empty. */
export function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [TEMPLATE_HASH_LABEL]: _hash, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: _time, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

function same(a: unknown, b: unknown, field: string, parent: string): boolean {
  if (Object.is(a, b)) return true;
  if (isText(a) && isText(b)) return isQuantity(field, parent) && parseQuantity(a) === parseQuantity(b);
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key], key, field));
}

function isQuantity(field: string, parent: string): boolean {
  return QUANTITY_FIELDS.has(field) || QUANTITY_MAPS.has(parent);
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
