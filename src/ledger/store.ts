import { isDeepStrictEqual } from 'node:util';
import { type Api, type ApiAnswer, type ApiResource, resourcePath } from '../cluster/api.ts';
import type { KubernetesObject } from '../kubernetes.ts';
import { GateError } from '../problem.ts';
import { decode, encode } from './encode.ts';
import { EMPTY, type Ledger } from './ledger.ts';
import { LEDGER_MANAGER } from './marks.ts';

/** Where a namespace's ledger is. */
export interface LedgerPlace {
  readonly api: Api;
  readonly namespace: string;
  /** The name of its Secret; empty: none is kept. */
  readonly name: string;
}

const TYPE = 'rollout-gate/ledger.v1';
const KEY = 'ledger.json.gz';
const SECRETS: ApiResource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
/** Another run may write in between: the ledger is then read and changed anew. */
const TRIES = 5;

/** The ledger as it stands, with the Secret that holds it; or why it cannot be had, in a sentence. */
type Found = { readonly ledger: Ledger; readonly secret: KubernetesObject | null } | { readonly trouble: string };

/** What the gate remembers of a namespace; nothing, if there is no ledger yet. Never rejects: `trouble` says why it cannot be read. */
export async function readLedger(place: LedgerPlace): Promise<{ readonly ledger: Ledger; readonly trouble: string }> {
  if (place.name === '') return { ledger: EMPTY, trouble: 'no ledger is kept (input ledger: none)' };
  const found = await find(place);
  return 'trouble' in found ? { ledger: EMPTY, trouble: found.trouble } : { ledger: found.ledger, trouble: '' };
}

/**
 * Changes the ledger, guarded by its Secret's resourceVersion.
 *
 * @returns why it could not be written, in a sentence with the server's own words; empty if it was, or if nothing was to change
 */
export async function changeLedger(place: LedgerPlace, change: (ledger: Ledger) => Ledger): Promise<string> {
  if (place.name === '') return '';
  for (let attempt = 1; ; attempt += 1) {
    const found = await find(place);
    if ('trouble' in found) return found.trouble;
    const next = change(found.ledger);
    if (isDeepStrictEqual(next, found.ledger)) return '';
    const encoded = encode(next);
    if ('tooLarge' in encoded)
      return `The ledger ${nameOf(place)} would have ${encoded.tooLarge} bytes, and a Secret holds 1 MiB: it was left as it is. Split the manifest, or give its parts ledgers of their own (input ledger)`;
    const answer = await quietly(() => write(place, found.secret, encoded.base64));
    if (typeof answer === 'string') return `${nameOf(place)} could not be written: ${answer}`;
    if (answer.ok) return '';
    if (answer.status !== 409 || attempt >= TRIES) return `${nameOf(place)} could not be written: ${said(answer)}`;
  }
}

async function find(place: LedgerPlace): Promise<Found> {
  const answer = await quietly(() =>
    place.api.request({ method: 'GET', path: resourcePath(SECRETS, place.namespace, place.name) }),
  );
  if (typeof answer === 'string') return { trouble: `${nameOf(place)} could not be read: ${answer}` };
  if (!answer.ok)
    return answer.status === 404
      ? { ledger: EMPTY, secret: null }
      : { trouble: `${nameOf(place)} could not be read: ${said(answer)}` };
  const secret = answer.body as KubernetesObject;
  if (secret['type'] !== TYPE)
    return {
      trouble: `${nameOf(place)} is no ledger of this program (its type is not ${TYPE}); give another name with the input ledger`,
    };
  try {
    return { ledger: decode((secret['data'] as Readonly<Record<string, string>> | undefined)?.[KEY] ?? ''), secret };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { trouble: `${nameOf(place)} cannot be understood (${why}); delete it to begin anew` };
  }
}

function write(place: LedgerPlace, secret: KubernetesObject | null, base64: string): Promise<ApiAnswer> {
  const { api, namespace, name } = place;
  const metadata = secret?.metadata ?? { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'rollout-gate' } };
  return api.request({
    method: secret === null ? 'POST' : 'PUT',
    path: resourcePath(SECRETS, namespace, secret === null ? '' : name),
    query: { fieldManager: LEDGER_MANAGER },
    guarded: true,
    body: { apiVersion: 'v1', kind: 'Secret', type: TYPE, metadata, data: { [KEY]: base64 } },
  });
}

/** A server that cannot be reached is no reason to fail: what the ledger is for goes on without it. */
async function quietly(ask: () => Promise<ApiAnswer>): Promise<ApiAnswer | string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GateError) return error.message;
    throw error;
  }
}

function nameOf({ namespace, name }: LedgerPlace): string {
  return `Secret/${name} in ${namespace}`;
}

function said(answer: ApiAnswer): string {
  return answer.ok ? '' : (answer.failure.message ?? `status ${answer.status}`);
}
