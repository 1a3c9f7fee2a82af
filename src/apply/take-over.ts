import { type Api, type ApiResource, resourcePath } from '../cluster/api.ts';
import type { KubernetesObject } from '../kubernetes.ts';
import { GateError } from '../problem.ts';
import { adoptionPatch } from './adopt.ts';

/** A live object that changes while it is being adopted is read again so often. */
const TRIES = 5;

/**
 * Takes over what a client-side apply owns of a live object, if it owns anything; only the ownership changes.
 *
 * @throws GateError if the server refuses it, or the object changes too often
 */
export async function takeOver(
  live: KubernetesObject,
  resource: ApiResource,
  api: Api,
  fieldManager: string,
): Promise<void> {
  const path = resourcePath(resource, live.metadata.namespace ?? '', live.metadata.name);
  let current = live;
  let said = '';
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const body = adoptionPatch(current, fieldManager);
    if (body === null) return;
    const contentType = 'application/json-patch+json';
    const query = { fieldManager };
    const answer = await api.request({ method: 'PATCH', path, contentType, body, query, guarded: true });
    if (answer.ok) return;
    said = answer.failure.message ?? `status ${answer.status}`;
    if (answer.status !== 409) break;
    const fresh = await api.request({ method: 'GET', path });
    if (!fresh.ok) break;
    current = fresh.body as KubernetesObject;
  }
  throw GateError.of(
    `${live.kind}/${live.metadata.name} was last applied by a client-side kubectl apply, and its ownership could not be taken over: ${said}. Nothing of it was changed`,
  );
}
