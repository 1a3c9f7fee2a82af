import type { Api } from '../cluster/api.ts';
import type { Status } from '../kubernetes.ts';
import { checkAll } from '../plan/check.ts';
import type { Planned, PlanOptions } from '../plan/planned.ts';
import { GateError, type Problem } from '../problem.ts';
import { patiently, servedResource } from './patience.ts';

/** How long a changed definition may take to reach the part of the server that knows the fields. */
const SCHEMA_LAG_MS = 3_000;

/**
 * Checks what could not be checked before, now that namespaces and definitions are there.
 *
 * @param rest the objects that are still to be applied
 * @returns the same objects, those that were deferred with what the server says of them now
 * @throws GateError with every refusal
 */
export async function recheck(rest: readonly Planned[], api: Api, options: PlanOptions): Promise<readonly Planned[]> {
  const open = rest.filter((each) => each.deferred === 'namespace' || each.deferred === 'kind');
  if (open.length === 0) return rest;
  const { objects: renamed, problems: unserved } = await withResources(open, api);
  const end = performance.now() + SCHEMA_LAG_MS;
  const isLag = ({ failure }: { readonly failure: Status }) =>
    performance.now() < end && failure.message?.includes('field not declared in schema') === true;
  const patient: Api = { ...api, request: (request) => patiently(() => api.request(request), isLag) };
  const notYet = { namespaces: new Set<string>(), isNewKind: () => false };
  const already = rest.filter((each) => !open.includes(each));
  const { objects, problems } = await checkAll(renamed, notYet, already, patient, options);
  if (unserved.length + problems.length > 0) throw new GateError([...unserved, ...problems]);
  const checked = new Map(objects.map((each) => [each.document, each]));
  return rest.map((each) => checked.get(each.document) ?? each);
}

interface Resolved {
  readonly objects: readonly Planned[];
  readonly problems: readonly Problem[];
}

/** Asks which resource serves each new kind, once for each kind. */
async function withResources(open: readonly Planned[], api: Api): Promise<Resolved> {
  const objects: Planned[] = [];
  const problems: Problem[] = [];
  const kinds = Map.groupBy(open, ({ ref, deferred }) => `${deferred} ${ref.apiVersion} ${ref.kind}`);
  for (const group of kinds.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { apiVersion, kind } = first.ref;
    const resource = first.deferred === 'kind' ? await servedResource(api, apiVersion, kind) : first.resource;
    if (resource !== null) objects.push(...group.map((each) => ({ ...each, resource })));
    else
      problems.push({
        message: `the server does not serve ${kind} in ${apiVersion}, although its CustomResourceDefinition was applied`,
        position: first.document.source.at(['kind']),
      });
  }
  return { objects, problems };
}
