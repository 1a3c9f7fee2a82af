import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, ApiAnswer, ApiResource } from '../cluster/api.ts';
import { conflictsOf } from '../plan/refusal.ts';

/** How long a new CustomResourceDefinition may take to be served. */
export const ESTABLISHED_MS = 60_000;
/** How long a new namespace or kind may take to be known to every part of the server. */
const SETTLING_MS = 10_000;
export const POLL_MS = 250;

type Refusal = Extract<ApiAnswer, { readonly ok: false }>;

/**
 * Repeats a request whose refusal passes by itself; whatever the last answer is stands.
 *
 * @param alsoPasses further refusals that are worth another try at that moment
 */
export async function patiently(
  request: () => Promise<ApiAnswer>,
  alsoPasses: (refusal: Refusal) => boolean = () => false,
): Promise<ApiAnswer> {
  const end = performance.now() + SETTLING_MS;
  for (;;) {
    const answer = await request();
    if (answer.ok || performance.now() > end || !(passes(answer) || alsoPasses(answer))) return answer;
    await sleep(POLL_MS);
  }
}

/**
 * Just created namespaces, kinds and default service accounts are not known everywhere at once, and somebody may have written the object
 * in between (409 without a conflict over fields).
 */
function passes(answer: Refusal): boolean {
  const text = answer.failure.message ?? '';
  if (answer.status === 409)
    return text.includes('the object has been modified') && conflictsOf(answer.failure).length === 0;
  if (answer.status === 404)
    return (
      answer.failure.details?.kind === 'namespaces' || text.includes('the server could not find the requested resource')
    );
  return answer.status === 403 && /not yet ready to handle request|serviceaccount "default" not found/.test(text);
}

/** The resource of a kind whose definition was applied a moment ago; null if the server still knows none when the time is over. */
export async function servedResource(api: Api, apiVersion: string, kind: string): Promise<ApiResource | null> {
  const end = performance.now() + ESTABLISHED_MS;
  for (;;) {
    const resource = await api.resource(apiVersion, kind, { fresh: true });
    if (resource !== null || performance.now() > end) return resource;
    await sleep(POLL_MS);
  }
}
