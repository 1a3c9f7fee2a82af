import type { FieldChange } from '../apply/applied.ts';
import type { KubernetesObject } from '../kubernetes.ts';

const HIDDEN = '(hidden)';
/** A variable whose name says that its value is nobody's business. */
const SECRET_NAME = /pass|token|secret|credential|key|auth|dsn/i;

/** The same change without the values of a Secret, and without those of environment variables that are named like one. */
export function hiddenChange(change: FieldChange, object: KubernetesObject): FieldChange {
  const isSecret = object.kind === 'Secret' && object.apiVersion === 'v1';
  const inSecret = isSecret && /^(data|stringData)\b/.test(change.path);
  const variable = /\.env\[([^\]]*)\]/.exec(change.path)?.[1];
  const whole = inSecret || (variable !== undefined && SECRET_NAME.test(variable));
  const veil = (value: unknown) => (value === undefined ? undefined : whole ? HIDDEN : veiled(value));
  return { path: change.path, from: veil(change.from), to: veil(change.to) };
}

/** Variables inside a whole container that came or went. */
function veiled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(veiled);
  if (typeof value !== 'object' || value === null) return value;
  const item = value as Readonly<Record<string, unknown>>;
  const isSecret = typeof item['name'] === 'string' && SECRET_NAME.test(item['name']) && item['value'] !== undefined;
  return Object.fromEntries(
    Object.entries(item).map(([key, inner]) => [key, isSecret && key === 'value' ? HIDDEN : veiled(inner)]),
  );
}
