import { isDeepStrictEqual } from 'node:util';
import { isAdoptable } from '../apply/adopt.ts';
import { type Api, type ApiAnswer, type ApiResource, resourcePath } from '../cluster/api.ts';
import type { FieldPath, KubernetesObject, ObjectRef, Status } from '../kubernetes.ts';
import type { ManifestDocument } from '../manifest/document.ts';
import type { Problem } from '../problem.ts';
import { applyRequest } from './apply-request.ts';
import { type FieldError, fieldErrors } from './field-errors.ts';
import type { PlanOptions } from './planned.ts';
import { conflictsOf, fieldProblem, refusalProblems } from './refusal.ts';

type Refusal = Extract<ApiAnswer, { readonly ok: false }>;

/** The server stops at the first fields that it does not know: so often it is asked for more of them. */
const ROUNDS = 10;

/** The live object; null if there is none. */
export async function readLive(
  api: Api,
  resource: ApiResource,
  ref: ObjectRef,
): Promise<{ readonly object: KubernetesObject | null } | Refusal> {
  const answer = await api.request({ method: 'GET', path: resourcePath(resource, ref.namespace, ref.name) });
  if (answer.ok) return { object: answer.body as KubernetesObject };
  return answer.status === 404 ? { object: null } : answer;
}

/** Asks the server what an apply would make. Conflicts with an owner that our apply will take over anyway are none. */
export async function dryRun(
  api: Api,
  resource: ApiResource,
  namespace: string,
  object: KubernetesObject,
  live: KubernetesObject | null,
  options: PlanOptions,
): Promise<ApiAnswer> {
  const answer = await api.request(applyRequest(resource, namespace, object, options, true));
  if (answer.ok || live === null) return answer;
  const conflicts = conflictsOf(answer.failure);
  if (conflicts.length === 0) return answer;
  const foreign = conflicts.filter((conflict) => !isAdoptable(conflict.manager, live));
  if (foreign.length > 0) return { ...answer, failure: onlyThese(answer.failure, foreign) };
  return api.request(applyRequest(resource, namespace, object, { ...options, forceConflicts: true }, true));
}

/** Conflicts that will be none, once what a client-side apply owns is ours, are left out. */
function onlyThese(failure: Status, conflicts: ReturnType<typeof conflictsOf>): Status {
  const kept = failure.details?.causes?.filter((cause) =>
    conflicts.some(({ field, manager }) => cause.field === field && cause.message?.includes(`"${manager}"`)),
  );
  return { ...failure, details: { ...failure.details, causes: kept ?? [] } };
}

/**
 * Every problem of a refused document. Where the server stops at the first field that it does not know, that field is left out and the
 * server is asked again, so that one run tells all.
 */
export async function allProblems(
  document: ManifestDocument,
  refusal: Refusal,
  live: KubernetesObject | null,
  ask: (object: KubernetesObject) => Promise<ApiAnswer>,
): Promise<readonly Problem[]> {
  const errors: FieldError[] = [];
  let object = document.object;
  let last: Refusal = refusal;
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = isAboutShape(last.failure) ? fieldErrors(last.failure, object) : [];
    const reduced = found.reduceRight<KubernetesObject>((rest, error) => without(rest, error.path), object);
    if (isDeepStrictEqual(reduced, object)) break;
    errors.push(...fieldErrors(last.failure, document.object));
    object = reduced;
    const answer = await ask(object);
    if (answer.ok) return errors.map((error) => fieldProblem(document, error));
    last = answer;
  }
  if (errors.length === 0) return refusalProblems(document, refusal.failure, live);
  const told = errors.map((error) => fieldProblem(document, error));
  const further = fieldErrors(last.failure, document.object).filter((error) => !isConsequence(error, errors));
  return [...told, ...further.map((error) => fieldProblem(document, error))];
}

/** Whether the refusal is about how the document is written: right wherever, and whenever, it is applied. */
export function isAboutShape(failure: Status): boolean {
  return /failed to create typed patch object|failed to convert new object|strict decoding error/.test(
    failure.message ?? '',
  );
}

/** The same object without one field or item. */
function without(object: KubernetesObject, path: FieldPath): KubernetesObject {
  const last = path.at(-1);
  if (last === undefined) return object;
  const copy = structuredClone(object);
  const parent = path.slice(0, -1).reduce<unknown>((node, step) => (node as never)?.[step], copy);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (typeof parent === 'object' && parent !== null) delete (parent as Record<string | number, unknown>)[last];
  return copy;
}

/** What the server says of a field that was left out for being wrong says nothing new. */
function isConsequence(error: FieldError, earlier: readonly FieldError[]): boolean {
  const plain = (field: string) => field.replace(/^\./, '').replaceAll(/\[[^\]]*\]/g, '');
  const field = plain(error.field);
  return earlier.some((each) => {
    const other = plain(each.field);
    return field.startsWith(other) || other.startsWith(field);
  });
}
