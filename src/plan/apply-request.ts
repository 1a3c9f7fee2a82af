import { type ApiRequest, type ApiResource, resourcePath } from '../cluster/api.ts';
import type { KubernetesObject } from '../kubernetes.ts';
import type { Options } from '../options.ts';

export type ApplyOptions = Pick<Options, 'fieldManager' | 'forceConflicts'>;

/**
 * A server-side apply of the object, exactly as the document said it. JSON is YAML, so the body needs no other writer. Unknown fields are
 * refused, as kubectl has it. Source: Kubernetes API reference, PATCH with application/apply-patch+yaml.
 */
export function applyRequest(
  resource: ApiResource,
  namespace: string,
  object: KubernetesObject,
  options: ApplyOptions,
  dryRun: boolean,
): ApiRequest {
  return {
    method: 'PATCH',
    path: resourcePath(resource, namespace, object.metadata.name),
    query: {
      ...(dryRun ? { dryRun: 'All' } : {}),
      fieldManager: options.fieldManager,
      fieldValidation: 'Strict',
      ...(options.forceConflicts ? { force: 'true' } : {}),
    },
    contentType: 'application/apply-patch+yaml',
    body: object,
  };
}
