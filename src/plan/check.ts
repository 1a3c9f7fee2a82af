import { type Api, type ApiAnswer, resourcePath } from '../cluster/api.ts';
import { type KubernetesObject, shortName } from '../kubernetes.ts';
import type { Problem } from '../problem.ts';
import { removalsByAdoption } from './adoption-changes.ts';
import { prematureBecause } from './deferral.ts';
import { diff } from './diff.ts';
import { allProblems, dryRun, isAboutShape, readLive } from './dry-run.ts';
import { inTurns } from './in-turns.ts';
import type { Planned, PlanOptions } from './planned.ts';

/** Where an object is checked whose own namespace is not there yet: it exists in every cluster. */
const STAND_IN_NAMESPACE = 'default';

/** An object whose resource and namespace are known. */
export type Settled = Pick<Planned, 'document' | 'ref' | 'resource'>;

/** Something that the manifest creates itself, so that the server cannot be asked yet. */
export interface NotYet {
  readonly namespaces: ReadonlySet<string>;
  readonly isNewKind: (settled: Settled) => boolean;
}

interface Refused {
  readonly settled: Settled;
  readonly live: KubernetesObject | null;
  readonly refusal: Extract<ApiAnswer, { readonly ok: false }>;
}

export interface Checked {
  readonly objects: readonly Planned[];
  readonly problems: readonly Problem[];
}

/**
 * Dry-runs the objects, a few at a time. A refusal that the manifest itself may put right on the way is no problem yet.
 *
 * @param already what was checked before and belongs to the same manifest
 */
export async function checkAll(
  objects: readonly Settled[],
  notYet: NotYet,
  already: readonly Planned[],
  api: Api,
  options: PlanOptions,
): Promise<Checked> {
  const first = await inTurns(objects, (settled) => check(settled, notYet, api, options));
  const planned = first.filter((each): each is Planned => 'document' in each);
  const coming = [...already, ...planned]
    .filter((each) => each.action !== 'keep')
    .map((each) => ({ ref: each.ref, object: each.document.object }));
  const second = await inTurns(first, async (each): Promise<Planned | readonly Problem[]> => {
    if ('document' in each) return each;
    if ('message' in each) return [each];
    const deferred = prematureBecause(each.settled.ref, each.refusal.failure, coming);
    if (deferred !== '') return unchecked(each.settled, each.live, deferred);
    return problemsOf(each, api, options);
  });
  return {
    objects: second.flatMap((each) => ('document' in each ? [each] : [])),
    problems: second.flatMap((each) => ('document' in each ? [] : each)),
  };
}

async function check(
  settled: Settled,
  notYet: NotYet,
  api: Api,
  options: PlanOptions,
): Promise<Planned | Refused | Problem> {
  const { document, ref, resource } = settled;
  if (notYet.isNewKind(settled)) return unchecked(settled, null, 'kind');
  const live = await readLive(api, resource, ref);
  if ('failure' in live) return { settled, live: null, refusal: live };
  if (live.object?.metadata.deletionTimestamp !== undefined) return beingDeleted(settled, live.object);
  const answer = await dryRun(api, resource, ref.namespace, document.object, live.object, options);
  if (answer.ok) return plannedOf(settled, live.object, answer.body as KubernetesObject);
  const inNewNamespace = notYet.namespaces.has(ref.namespace) && isNamespaceMissing(answer.failure);
  return inNewNamespace ? standIn(settled, api, options) : { settled, live: live.object, refusal: answer };
}

function plannedOf(settled: Settled, live: KubernetesObject | null, after: KubernetesObject): Planned {
  const changes = [...diff(live, after), ...removalsByAdoption(live, settled.document.object)];
  const action = live === null ? 'create' : changes.length > 0 ? 'change' : 'keep';
  return { ...settled, live, action, changes, deferred: '' };
}

function unchecked(settled: Settled, live: KubernetesObject | null, deferred: Planned['deferred']): Planned {
  return { ...settled, live, action: live === null ? 'create' : 'change', changes: [], deferred };
}

function isNamespaceMissing(failure: Refused['refusal']['failure']): boolean {
  return failure.code === 404 && failure.details?.kind === 'namespaces';
}

/** What is applied to an object on its way out goes with it, and would be reported as a success. */
function beingDeleted({ document }: Settled, live: KubernetesObject): Problem {
  const held = live.metadata.finalizers ?? [];
  const why = held.length > 0 ? ` (its finalizers ${held.join(', ')} hold it)` : '';
  const message = `${shortName(document.ref)} is being deleted since ${live.metadata.deletionTimestamp}${why}: what is applied now would go with it. Run again when it is gone`;
  return { message, position: document.source.at(['metadata', 'name']) };
}

function problemsOf({ settled, live, refusal }: Refused, api: Api, options: PlanOptions): Promise<readonly Problem[]> {
  const { document, ref, resource } = settled;
  return allProblems(document, refusal, live, (object) => dryRun(api, resource, ref.namespace, object, live, options));
}

/**
 * The namespace is not there yet: what the server says of the fields of the same object in another one holds here too. What it says about
 * quotas, policies and rights there does not.
 */
async function standIn(settled: Settled, api: Api, options: PlanOptions): Promise<Planned | Refused> {
  const { document, ref, resource } = settled;
  const taken = await api.request({ method: 'GET', path: resourcePath(resource, STAND_IN_NAMESPACE, ref.name) });
  const name = taken.ok ? `${ref.name}-0` : ref.name;
  const elsewhere = (object: KubernetesObject): KubernetesObject => ({
    ...object,
    metadata: { ...object.metadata, name, namespace: STAND_IN_NAMESPACE },
  });
  const ask = (object: KubernetesObject) => dryRun(api, resource, STAND_IN_NAMESPACE, elsewhere(object), null, options);
  const answer = await ask(document.object);
  const stands = !answer.ok && (isAboutShape(answer.failure) || isValidation(answer.failure));
  return stands ? { settled, live: null, refusal: answer } : unchecked(settled, null, 'namespace');
}

/** A verdict on fields, not one of a policy or a webhook, which may hold for that namespace only. */
function isValidation(failure: Refused['refusal']['failure']): boolean {
  const named =
    failure.details?.causes?.some((cause) => (cause.field ?? '') !== '' && cause.field !== '<nil>') === true;
  return failure.code === 422 && named && !/denied (the )?request/.test(failure.message ?? '');
}
