import { GateError } from '../problem.ts';
import type { Api, ApiResource } from './api.ts';
import type { Transport } from './transport.ts';

/** Both generations of aggregated discovery, then the plain lists of groups that older servers have. Source: KEP-3352. */
const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

/** By kind, for one apiVersion. */
type Kinds = ReadonlyMap<string, ApiResource>;

interface DiscoveredResource {
  readonly resource?: string;
  readonly scope?: string;
  readonly responseKind?: { readonly kind?: string };
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version?: string;
    readonly freshness?: string;
    readonly resources?: readonly DiscoveredResource[];
  }[];
}

/**
 * Which resource serves which kind: two requests for all of them, when the first is asked for; one request per apiVersion where the
 * server is too old for that, where an extension server's part is stale, and where a fresh answer is asked for.
 */
export function createDiscovery(transport: Transport): Pick<Api, 'resource'> {
  const known = new Map<string, Promise<Kinds>>();
  let all: Promise<(apiVersion: string) => boolean> | null = null;

  /** Tells afterwards which versions have to be asked for by themselves. */
  async function readAll(): Promise<(apiVersion: string) => boolean> {
    const lists = await Promise.all(
      ['/api', '/apis'].map((path) => transport.request({ method: 'GET', path, accept: AGGREGATED })),
    );
    const groups = lists.map((answer) => (answer.ok ? groupsOf(answer.body) : null));
    const stale = new Set<string>();
    for (const { apiVersion, kinds } of groups.flatMap((list) => list ?? []).flatMap(versionsOf)) {
      if (kinds === null) stale.add(apiVersion);
      else if (!known.has(apiVersion)) known.set(apiVersion, Promise.resolve(kinds));
    }
    const partial = groups.includes(null);
    return (apiVersion) => partial || stale.has(apiVersion);
  }

  function readOne(apiVersion: string): Promise<Kinds> {
    const reading = readVersion(transport, apiVersion);
    known.set(apiVersion, reading);
    reading.catch(() => known.delete(apiVersion));
    return reading;
  }

  return {
    resource: async (apiVersion, kind, options) => {
      if (options?.fresh === true) return (await readOne(apiVersion)).get(kind) ?? null;
      all ??= readAll().catch((error: unknown) => {
        all = null;
        throw error;
      });
      const mustAsk = await all;
      const kinds = known.get(apiVersion) ?? (mustAsk(apiVersion) ? readOne(apiVersion) : null);
      return kinds === null ? null : ((await kinds).get(kind) ?? null);
    },
  };
}

/** The groups of an aggregated answer, or null if the server is too old to give one. */
function groupsOf(body: unknown): readonly DiscoveredGroup[] | null {
  if (typeof body !== 'object' || body === null || !('items' in body) || !Array.isArray(body.items)) return null;
  return body.items as DiscoveredGroup[];
}

/** `kinds` is null where an extension server's part is stale. */
function versionsOf(group: DiscoveredGroup): { readonly apiVersion: string; readonly kinds: Kinds | null }[] {
  return (group.versions ?? []).map(({ version = '', freshness, resources }) => {
    const apiVersion = group.metadata?.name ? `${group.metadata.name}/${version}` : version;
    if (freshness === 'Stale') return { apiVersion, kinds: null };
    const found = (resources ?? []).flatMap(({ resource, scope, responseKind }) => {
      const kind = responseKind?.kind;
      if (resource === undefined || kind === undefined) return [];
      return [{ apiVersion, kind, plural: resource, namespaced: scope === 'Namespaced' }];
    });
    return { apiVersion, kinds: byKind(found) };
  });
}

async function readVersion(transport: Transport, apiVersion: string): Promise<Kinds> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const answer = await transport.request({ method: 'GET', path });
  if (!answer.ok && answer.status === 404) return new Map();
  if (!answer.ok)
    throw GateError.of(
      `The API server ${transport.server} does not say which kinds ${apiVersion} has (GET ${path}): ${answer.status} ${answer.failure.message ?? ''}`.trim(),
    );
  const body = answer.body as {
    readonly resources?: readonly { readonly name?: string; readonly kind?: string; readonly namespaced?: boolean }[];
  };
  const found = (body.resources ?? []).flatMap(({ name = '', kind = '', namespaced }) =>
    name.includes('/') ? [] : [{ apiVersion, kind, plural: name, namespaced: namespaced === true }],
  );
  return byKind(found);
}

/** Where two resources serve one kind, the first stands. */
function byKind(resources: readonly ApiResource[]): Kinds {
  return new Map([...resources].reverse().map((resource) => [resource.kind, resource]));
}
