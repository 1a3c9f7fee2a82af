import { isDeepStrictEqual } from 'node:util';
import { type Api, type ApiAnswer, type ApiRequest, resourcePath } from '../cluster/api.ts';
import { type KubernetesObject, shortName } from '../kubernetes.ts';
import { readLive } from '../plan/dry-run.ts';
import { ownershipPatch, restorePatch } from './patches.ts';
import { foreignChange, type Step, type Surveyed, wantedOf } from './plan.ts';
import { requestOf } from './state.ts';

/** An object whose status moves under our hands is read again, and decided on again, so often. */
const TRIES = 5;

/** What one step came to. `problem` is empty if all of it was done. */
export interface Done {
  readonly step: Step;
  /** null: removed, or not known. */
  readonly restored: KubernetesObject | null;
  /** Whether the server took a change, even if not all of it was done. */
  readonly changed: boolean;
  readonly problem: string;
}

/** Asks the server whether it would take every step; nothing is changed. @returns its objections */
export async function rehearse(steps: readonly Step[], api: Api): Promise<readonly string[]> {
  const objections: string[] = [];
  for (const step of steps) {
    if (step.object.live === null) continue;
    const answer = await api.request(requestFor(step, step.object.live, true));
    // A conflict is the object's status moving on: it is decided again when the step is taken.
    if (!answer.ok && answer.status !== 409) objections.push(`${shortName(step.object.applied.ref)}: ${said(answer)}`);
  }
  return objections;
}

/** Takes one step, for the object as it was surveyed; if it has moved on, looks again at who moved it. */
export async function take(step: Step, api: Api, fieldManager: string): Promise<Done> {
  let { live } = step.object;
  for (let attempt = 1; ; attempt += 1) {
    // What another run of ours, or this one before its answer was lost, has brought back already is nobody else's change.
    const foreign = isBack(step, live) ? '' : foreignChange({ ...step.object, live });
    if (foreign !== '') return { step, restored: null, changed: false, problem: foreign };
    if (live === null) return { step, restored: null, changed: false, problem: '' };
    const answer = await api.request(requestFor(step, live, false, fieldManager));
    if (answer.ok && step.action === 'delete') return { step, restored: null, changed: true, problem: '' };
    if (answer.ok && step.action === 'restore')
      return giveBack(step, answer.body as KubernetesObject, api, fieldManager);
    if (!answer.ok && answer.status === 404 && step.action === 'delete')
      return { step, restored: null, changed: false, problem: '' };
    const objection = `${shortName(step.object.applied.ref)}: ${said(answer)}`;
    if (!mayBeOutdated(answer) || attempt >= TRIES) return { step, restored: null, changed: false, problem: objection };
    const fresh = await readAgain(step.object, api);
    if (fresh === undefined)
      return { step, restored: null, changed: false, problem: `${shortName(step.object.applied.ref)} cannot be read` };
    if (!isConflict(answer) && fresh?.metadata.resourceVersion === live.metadata.resourceVersion)
      return { step, restored: null, changed: false, problem: objection };
    live = fresh;
  }
}

/** Whether the object asks for what it is to ask for again, whoever owns its fields. */
export function isBack(step: Step, live: KubernetesObject | null): boolean {
  if (step.action === 'delete') return live === null;
  if (live === null || live.metadata.uid !== step.object.applied.after.metadata.uid) return false;
  return isDeepStrictEqual(requestOf(live), requestOf(wantedOf(step.object, step.before, live)));
}

/** The fields are as before; now their owners. */
async function giveBack(
  step: Extract<Step, { action: 'restore' }>,
  restored: KubernetesObject,
  api: Api,
  fieldManager: string,
): Promise<Done> {
  const name = shortName(step.object.applied.ref);
  const unfinished = (why: string): Done => ({
    step,
    restored,
    changed: true,
    problem: `${name} is restored, but not who owns its fields: ${why}`,
  });
  let live = restored;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await api.request({
      ...patch(step.object, ownershipPatch(live, step.before)),
      query: { fieldManager },
    });
    if (answer.ok) return { step, restored: answer.body as KubernetesObject, changed: true, problem: '' };
    if (answer.status !== 409 || attempt >= TRIES) return unfinished(said(answer));
    const fresh = await readAgain(step.object, api);
    if (fresh === undefined || fresh === null) return unfinished('it cannot be read any more');
    if (!isDeepStrictEqual(requestOf(fresh), requestOf(restored)))
      return unfinished('somebody else has changed it in between');
    live = fresh;
  }
}

function isConflict(answer: ApiAnswer): boolean {
  return !answer.ok && answer.status === 409;
}

/** The object may not be any more what the request was made for; a patch that removes what is gone already is invalid then, not a conflict. */
function mayBeOutdated(answer: ApiAnswer): boolean {
  return isConflict(answer) || (!answer.ok && answer.status === 422);
}

async function readAgain({ resource, applied }: Surveyed, api: Api): Promise<KubernetesObject | null | undefined> {
  const answer = await readLive(api, resource, applied.ref);
  return 'failure' in answer ? undefined : answer.object;
}

function requestFor(step: Step, live: KubernetesObject, dry: boolean, fieldManager = ''): ApiRequest {
  const { uid, resourceVersion } = live.metadata;
  const { object } = step;
  if (step.action === 'restore') {
    const request = patch(object, restorePatch(live, wantedOf(object, step.before, live)));
    return { ...request, query: dry ? { dryRun: 'All' } : { fieldManager } };
  }
  return {
    method: 'DELETE',
    path: pathOf(object),
    ...(dry ? { query: { dryRun: 'All' } } : {}),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid, resourceVersion },
    },
  };
}

function patch(object: Surveyed, body: unknown): ApiRequest {
  return { method: 'PATCH', path: pathOf(object), contentType: 'application/json-patch+json', body, guarded: true };
}

function pathOf({ resource, applied }: Surveyed): string {
  return resourcePath(resource, applied.ref.namespace, applied.ref.name);
}

function said(answer: ApiAnswer): string {
  return answer.ok ? '' : (answer.failure.message ?? `status ${answer.status}`);
}
