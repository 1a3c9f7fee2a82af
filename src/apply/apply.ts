import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, type ApiAnswer, type ApiResource, resourcePath } from '../cluster/api.ts';
import { type KubernetesObject, shortName } from '../kubernetes.ts';
import { applyRequest } from '../plan/apply-request.ts';
import { diff } from '../plan/diff.ts';
import { dryRun, type Plan, type Planned, type PlanOptions } from '../plan/plan.ts';
import { refusalProblems } from '../plan/refusal.ts';
import { isDefinition } from '../plan/resources.ts';
import { GateError, type Problem } from '../problem.ts';
import { type AdoptionPatch, adoptionPatch } from './adopt.ts';
import type { Applied } from './applied.ts';

/** How long a new CustomResourceDefinition may take to be served. */
const ESTABLISHED_MS = 60_000;
const POLL_MS = 250;
/** A live object that changes while it is being adopted is read again so often. */
const ADOPTION_TRIES = 5;

/**
 * Applies the plan, object by object, in its order. Each object's state before is kept. What could not be checked before (its namespace or
 * kind is new) is checked right before its own apply.
 *
 * @param onApplied told of each object as soon as the server has taken it
 * @throws GateError if an object is refused; it names what had been applied by then, and what had not
 */
export async function apply(
  plan: Plan,
  api: Api,
  options: PlanOptions,
  onApplied: (applied: Applied) => void,
): Promise<readonly Applied[]> {
  const done: Applied[] = [];
  for (const planned of plan.objects) {
    const applied = await applyOne(planned, api, options);
    if ('problems' in applied) throw interrupted(applied.problems, done, plan, planned);
    done.push(applied);
    onApplied(applied);
  }
  return done;
}

interface Refused {
  readonly problems: readonly Problem[];
}

async function applyOne(planned: Planned, api: Api, options: PlanOptions): Promise<Applied | Refused> {
  const { document, ref } = planned;
  const resource = planned.deferred === 'kind' ? await freshResource(planned, api) : planned.resource;
  if (planned.deferred !== '') {
    const answer = await patiently(() => dryRun(api, resource, ref.namespace, document.object, null, options));
    if (!answer.ok) return { problems: refusalProblems(document, answer.failure, null) };
  }
  const before = planned.live === null ? null : await adopt(planned.live, resource, api, options);
  const answer = await patiently(() =>
    api.request(applyRequest(resource, ref.namespace, document.object, options, false)),
  );
  if (!answer.ok) return { problems: refusalProblems(document, answer.failure, before) };
  const after = answer.body as KubernetesObject;
  if (isDefinition(after)) await established(after, resource, api);
  return appliedOf(planned, before, after, api.now());
}

function appliedOf(
  planned: Planned,
  before: KubernetesObject | null,
  after: KubernetesObject,
  appliedAt: number,
): Applied {
  const changes = diff(before, after);
  const changed = before !== null && changes.length === 0 ? 'unchanged' : 'changed';
  const action = before === null ? 'created' : changed;
  return { ref: planned.ref, source: planned.document.source, action, changes, before, after, appliedAt };
}

/** Takes over what a client-side apply owns. @returns the live object as it was before any change of ours */
async function adopt(
  live: KubernetesObject,
  resource: ApiResource,
  api: Api,
  options: PlanOptions,
): Promise<KubernetesObject> {
  const path = resourcePath(resource, live.metadata.namespace ?? '', live.metadata.name);
  let current = live;
  for (let attempt = 1; attempt <= ADOPTION_TRIES; attempt += 1) {
    const patch: AdoptionPatch | null = adoptionPatch(current, options.fieldManager);
    if (patch === null) return live;
    const answer = await api.request({
      method: 'PATCH',
      path,
      contentType: 'application/json-patch+json',
      body: patch,
      query: { fieldManager: options.fieldManager },
    });
    if (answer.ok) return live;
    if (answer.status !== 409 && answer.status !== 422) break;
    const fresh = await api.request({ method: 'GET', path });
    if (!fresh.ok) break;
    current = fresh.body as KubernetesObject;
  }
  throw GateError.of(
    `${live.kind}/${live.metadata.name} was last applied by a client-side kubectl apply, and its ownership could not be taken over because it keeps changing; nothing of it was changed. Run again`,
  );
}

async function freshResource(planned: Planned, api: Api): Promise<ApiResource> {
  const { apiVersion, kind } = planned.ref;
  const end = performance.now() + ESTABLISHED_MS;
  for (;;) {
    const resource = await api.resource(apiVersion, kind, { fresh: true });
    if (resource !== null) return resource;
    if (performance.now() > end) return planned.resource;
    await sleep(POLL_MS);
  }
}

/** Objects of the new kind can only be applied once it is served. Source: apiextensions/v1 CustomResourceDefinitionCondition. */
async function established(definition: KubernetesObject, resource: ApiResource, api: Api): Promise<void> {
  const end = performance.now() + ESTABLISHED_MS;
  let last = definition;
  while (!isTrue(last, 'Established') || !isTrue(last, 'NamesAccepted')) {
    if (performance.now() > end)
      throw GateError.of(
        `CustomResourceDefinition/${definition.metadata.name} was applied, but is not served after ${ESTABLISHED_MS / 1000} s: ${conditionText(last)}`,
      );
    await sleep(POLL_MS);
    const answer = await api.request({ method: 'GET', path: resourcePath(resource, '', definition.metadata.name) });
    if (answer.ok) last = answer.body as KubernetesObject;
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

function conditionsOf(object: KubernetesObject): readonly Condition[] {
  return (object['status'] as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
}

function isTrue(object: KubernetesObject, type: string): boolean {
  return conditionsOf(object).some((condition) => condition.type === type && condition.status === 'True');
}

function conditionText(object: KubernetesObject): string {
  return (
    conditionsOf(object)
      .map((condition) => `${condition.type} ${condition.status} ${condition.message ?? ''}`.trim())
      .join('; ') || 'it has no conditions yet'
  );
}

/** A namespace or a kind that was made a moment ago is not known to every part of the server yet. */
async function patiently(request: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const end = performance.now() + 10_000;
  for (;;) {
    const answer = await request();
    const passing =
      !answer.ok &&
      (answer.status === 404 ||
        (answer.status === 403 &&
          /being created|not yet ready|unable to create new content/.test(answer.failure.message ?? '')));
    if (!passing || performance.now() > end) return answer;
    await sleep(POLL_MS);
  }
}

function interrupted(problems: readonly Problem[], done: readonly Applied[], plan: Plan, at: Planned): GateError {
  const changed = done.filter((applied) => applied.action !== 'unchanged').map((applied) => shortName(applied.ref));
  const rest = plan.objects.slice(plan.objects.indexOf(at)).map((planned) => shortName(planned.ref));
  const message = `The apply stopped at ${shortName(at.ref)}. Applied before it: ${changed.join(', ') || 'nothing'}. Not applied: ${rest.join(', ')}`;
  return new GateError([...problems, { message, position: null }]);
}
