import type { KubernetesObject, Status } from '../kubernetes.ts';
import { type ApiResource, resourcePath } from './api.ts';
import { type Subscription, selectorsOf } from './subscription.ts';
import type { Transport } from './transport.ts';

/** What became of a list: the whole collection as it stood at one moment, or the server's refusal. */
export type Listed =
  | { readonly ok: true; readonly items: readonly KubernetesObject[]; readonly resourceVersion: string }
  | { readonly ok: false; readonly status: number; readonly failure: Status };

const PAGE = 500;
/** A server under load may compact faster than pages are read: then all is asked for at once. */
const TRIES_IN_PAGES = 2;

interface ListBody {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubernetesObject[] | null;
}

/**
 * Lists a collection in pages, from the beginning again if the pages expire in between (410).
 *
 * @throws GateError as `Transport.request` does
 */
export async function listAll(
  transport: Transport,
  collection: Pick<Subscription, 'namespace' | 'labelSelector' | 'fieldSelector'> & { readonly resource: ApiResource },
  signal?: AbortSignal,
): Promise<Listed> {
  for (let tries = 1; ; tries += 1) {
    const listed = await listPages(transport, collection, tries > TRIES_IN_PAGES ? null : PAGE, signal);
    if (listed.ok || listed.status !== 410 || tries > TRIES_IN_PAGES) return listed;
  }
}

async function listPages(
  transport: Transport,
  collection: Parameters<typeof listAll>[1],
  limit: number | null,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const path = resourcePath(collection.resource, collection.namespace);
  const items: KubernetesObject[] = [];
  let next = '';
  for (;;) {
    const query = {
      ...selectorsOf(collection),
      ...(limit === null ? {} : { limit: String(limit) }),
      ...(next === '' ? {} : { continue: next }),
    };
    const answer = await transport.request({ method: 'GET', path, query, ...(signal === undefined ? {} : { signal }) });
    if (!answer.ok) return answer;
    const body = answer.body as ListBody;
    items.push(...(body.items ?? []));
    next = body.metadata?.continue ?? '';
    if (next === '') return { ok: true, items, resourceVersion: body.metadata?.resourceVersion ?? '' };
  }
}
