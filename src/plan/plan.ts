import { isAdoptable } from '../apply/adopt.ts';
import type { FieldChange } from '../apply/applied.ts';
import { type Api, type ApiAnswer, type ApiResource, resourcePath } from '../cluster/api.ts';
import { type KubernetesObject, type ObjectRef, shortName } from '../kubernetes.ts';
import type { Manifest, ManifestDocument } from '../manifest/document.ts';
import { duplicates } from '../manifest/objects.ts';
import type { Options } from '../options.ts';
import { GateError, type Problem } from '../problem.ts';
import { applyRequest } from './apply-request.ts';
import { diff } from './diff.ts';
import { inOrder } from './order.ts';
import { conflictsOf, refusalProblems } from './refusal.ts';
import { createdNamespaces, definedResource } from './resources.ts';

/** One object on its way to the cluster. */
export interface Planned {
  readonly document: ManifestDocument;
  /** Like the document's, with the namespace settled. */
  readonly ref: ObjectRef;
  readonly resource: ApiResource;
  /** The live object; null if there is none. */
  readonly live: KubernetesObject | null;
  readonly action: 'create' | 'change' | 'keep';
  readonly changes: readonly FieldChange[];
  /**
   * Why the server could not check it wholly before the apply: its namespace, or its kind, is created by this very manifest. It is checked
   * again right before its own apply. Empty where it was checked.
   */
  readonly deferred: '' | 'namespace' | 'kind';
}

/** The objects in the order in which they are applied. */
export interface Plan {
  readonly objects: readonly Planned[];
}

export type PlanOptions = Pick<Options, 'namespace' | 'fieldManager' | 'forceConflicts'>;

/** So many requests are under way at a time. */
const CONCURRENCY = 8;
/** Where an object is checked whose own namespace is not there yet: it exists in every cluster. */
const STAND_IN_NAMESPACE = 'default';

/**
 * Sends every document to the server as a dry run, before the first is applied.
 *
 * @throws GateError with every refusal, each on its line; nothing was changed then
 */
export async function plan(manifest: Manifest, api: Api, options: PlanOptions): Promise<Plan> {
  const settled = await inTurns(manifest.documents, (document) => settle(document, manifest, api, options));
  const unsettled = settled.flatMap((each) => ('message' in each ? [each] : []));
  if (unsettled.length > 0) throw new GateError(unsettled);
  const found = settled.flatMap((each) => ('message' in each ? [] : [each]));
  const twice = duplicates(found.map((each) => ({ ...each.document, ref: each.ref })));
  if (twice.length > 0) throw new GateError(twice);
  const namespaces = createdNamespaces(manifest.documents);
  const checked = await inTurns(
    inOrder(found, (each) => each.ref),
    (each) => check(each, namespaces, api, options),
  );
  const refused = checked.flatMap((each) => ('problems' in each ? each.problems : []));
  if (refused.length > 0) throw new GateError(refused);
  return { objects: checked.flatMap((each) => ('problems' in each ? [] : [each])) };
}

type Settled = Pick<Planned, 'document' | 'ref' | 'resource'> & { readonly kindIsNew: boolean };

/** Which resource serves the kind, and in which namespace the object belongs. */
async function settle(
  document: ManifestDocument,
  manifest: Manifest,
  api: Api,
  options: PlanOptions,
): Promise<Settled | Problem> {
  const { apiVersion, kind } = document.ref;
  const served = await api.resource(apiVersion, kind);
  const resource = served ?? definedResource(apiVersion, kind, manifest.documents);
  if (resource === null) {
    const message = `${shortName(document.ref)}: the server at ${api.server} knows no kind "${kind}" in ${apiVersion}; is its CustomResourceDefinition missing, or the apiVersion out of date?`;
    return { message, position: document.source.at(['kind']) };
  }
  const namespace = resource.namespaced ? document.ref.namespace || options.namespace || api.namespace : '';
  return { document, ref: { ...document.ref, namespace }, resource, kindIsNew: served === null };
}

interface Refused {
  readonly problems: readonly Problem[];
}

async function check(
  settled: Settled,
  namespaces: ReadonlySet<string>,
  api: Api,
  options: PlanOptions,
): Promise<Planned | Refused> {
  const { document, ref, resource, kindIsNew } = settled;
  const unknown: Planned = { document, ref, resource, live: null, action: 'create', changes: [], deferred: 'kind' };
  if (kindIsNew) return unknown;
  const live = await readLive(api, resource, ref);
  if ('failure' in live) return { problems: refusalProblems(document, live.failure, null) };
  const answer = await dryRun(api, resource, ref.namespace, document.object, live.object, options);
  if (answer.ok) {
    const after = answer.body as KubernetesObject;
    const changes = diff(live.object, after);
    const action = live.object === null ? 'create' : changes.length > 0 ? 'change' : 'keep';
    return { document, ref, resource, live: live.object, action, changes, deferred: '' };
  }
  if (answer.status === 404 && namespaces.has(ref.namespace)) return standIn(settled, api, options);
  return { problems: refusalProblems(document, answer.failure, live.object) };
}

async function readLive(
  api: Api,
  resource: ApiResource,
  ref: ObjectRef,
): Promise<{ readonly object: KubernetesObject | null } | Extract<ApiAnswer, { ok: false }>> {
  const answer = await api.request({ method: 'GET', path: resourcePath(resource, ref.namespace, ref.name) });
  if (answer.ok) return { object: answer.body as KubernetesObject };
  return answer.status === 404 ? { object: null } : answer;
}

/** Conflicts with an owner that our apply will take over anyway are none. */
export async function dryRun(
  api: Api,
  resource: ApiResource,
  namespace: string,
  object: KubernetesObject,
  live: KubernetesObject | null,
  options: PlanOptions,
): Promise<ApiAnswer> {
  const answer = await api.request(applyRequest(resource, namespace, object, options, true));
  if (answer.ok || live === null || answer.status !== 409) return answer;
  const conflicts = conflictsOf(answer.failure);
  const ours = conflicts.length > 0 && conflicts.every((conflict) => isAdoptable(conflict.manager));
  return ours
    ? api.request(applyRequest(resource, namespace, object, { ...options, forceConflicts: true }, true))
    : answer;
}

/**
 * The namespace is not there yet: what the server says of the same object in another one is right about its fields, and says nothing about
 * quotas, policies and rights.
 */
async function standIn(settled: Settled, api: Api, options: PlanOptions): Promise<Planned | Refused> {
  const { document, ref, resource } = settled;
  const metadata = {
    ...document.object.metadata,
    namespace: STAND_IN_NAMESPACE,
    name: `${ref.name.slice(0, 40)}-rollout-gate-check`,
  };
  const object: KubernetesObject = { ...document.object, metadata };
  const answer = await api.request(applyRequest(resource, STAND_IN_NAMESPACE, object, options, true));
  const aboutFields = !answer.ok && (answer.status === 422 || answer.status === 400 || answer.status === 500);
  if (aboutFields) return { problems: refusalProblems(document, answer.failure, null) };
  return { document, ref, resource, live: null, action: 'create', changes: [], deferred: 'namespace' };
}

/** Works on all items, a few at a time; the results keep the items' order. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  const entries = items.entries();
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
