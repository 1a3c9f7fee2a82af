import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { KubernetesObject } from '../kubernetes.ts';
import type { Ledger, OpenStep, ProvenState } from './ledger.ts';

/** Source: Kubernetes API reference, Secret: the data may have 1 MiB in all. */
const LIMIT_BYTES = 1024 * 1024;
/** No ledger of 1 MiB unpacks to more; whoever may write the Secret must not be able to exhaust the runner. */
const UNPACKED_LIMIT_BYTES = 256 * 1024 * 1024;

type Step =
  | { readonly action: 'restore'; readonly before: string; readonly after: string }
  | { readonly action: 'delete'; readonly after: string };

/** How a ledger travels: each object once, by its hash. */
interface Packed {
  readonly version: 1;
  readonly objects: Readonly<Record<string, KubernetesObject>>;
  readonly states: readonly (Omit<ProvenState, 'objects'> & { readonly objects: readonly string[] })[];
  readonly open: { readonly run: string; readonly at: string; readonly steps: readonly Step[] } | null;
}

export type Encoded = { readonly ledger: Ledger; readonly base64: string } | { readonly tooLarge: number };

/** Compresses the ledger; the oldest states are left out until it fits. `tooLarge`: the bytes of one that never will. */
export function encode(ledger: Ledger): Encoded {
  for (let count = ledger.states.length; ; count -= 1) {
    const shorter = { ...ledger, states: ledger.states.slice(0, count) };
    const bytes = gzipSync(JSON.stringify(pack(shorter)));
    if (bytes.length <= LIMIT_BYTES) return { ledger: shorter, base64: bytes.toString('base64') };
    if (count <= (ledger.open === null ? 1 : 0)) return { tooLarge: bytes.length };
  }
}

/** @throws Error that says why this is no ledger */
export function decode(base64: string): Ledger {
  const text = gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: UNPACKED_LIMIT_BYTES }).toString('utf8');
  const packed = JSON.parse(text) as Packed;
  if (packed.version !== 1)
    throw new Error(`it has the version ${JSON.stringify(packed.version)}, and this program knows 1`);
  const object = (hash: string): KubernetesObject => {
    const found = packed.objects[hash];
    if (found === undefined || hashOf(found) !== hash) throw new Error(`its object ${hash} is missing or was changed`);
    return found;
  };
  const step = (each: Step): OpenStep =>
    each.action === 'delete'
      ? { action: 'delete', after: object(each.after) }
      : { action: 'restore', before: object(each.before), after: object(each.after) };
  return {
    states: packed.states.map((state) => ({ ...state, objects: state.objects.map(object) })),
    open: packed.open === null ? null : { ...packed.open, steps: packed.open.steps.map(step) },
  };
}

function pack({ states, open }: Ledger): Packed {
  const objects: Record<string, KubernetesObject> = {};
  const put = (object: KubernetesObject): string => {
    const hash = hashOf(object);
    objects[hash] = object;
    return hash;
  };
  const step = (each: OpenStep): Step =>
    each.action === 'delete'
      ? { action: 'delete', after: put(each.after) }
      : { action: 'restore', before: put(each.before), after: put(each.after) };
  return {
    version: 1,
    states: states.map((state) => ({ ...state, objects: state.objects.map(put) })),
    open: open === null ? null : { ...open, steps: open.steps.map(step) },
    objects,
  };
}

function hashOf(object: KubernetesObject): string {
  return createHash('sha256').update(JSON.stringify(object)).digest('hex').slice(0, 32);
}
