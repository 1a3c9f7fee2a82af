import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, type ApiResource, resourcePath } from '../cluster/api.ts';
import type { KubernetesObject } from '../kubernetes.ts';
import { GateError } from '../problem.ts';
import { ESTABLISHED_MS, POLL_MS } from './patience.ts';

/**
 * Waits until a CustomResourceDefinition is served: objects of its kind can be applied only then.
 * Source: apiextensions/v1 CustomResourceDefinitionConditionType.
 *
 * @throws GateError with the definition's conditions if it is not served in time, or can never be
 */
export async function established(definition: KubernetesObject, resource: ApiResource, api: Api): Promise<void> {
  const { name } = definition.metadata;
  const end = performance.now() + ESTABLISHED_MS;
  let last = definition;
  while (!isTrue(last, 'Established') || !isTrue(last, 'NamesAccepted')) {
    const refused = conditionsOf(last).find((each) => each.type === 'NamesAccepted' && each.status === 'False');
    if (refused !== undefined || performance.now() > end) {
      const waited = refused === undefined ? ` after ${ESTABLISHED_MS / 1000} s` : '';
      throw GateError.of(
        `CustomResourceDefinition/${name} was applied, but is not served${waited}: ${conditionText(last)}`,
      );
    }
    await sleep(POLL_MS);
    const answer = await api.request({ method: 'GET', path: resourcePath(resource, '', name) });
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
      .map(({ type, status, message }) => `${type} ${status} ${message ?? ''}`.trim())
      .join('; ') || 'it has no conditions yet'
  );
}
