import { groupOf, type KubernetesObject, type ObjectRef, type Status } from '../kubernetes.ts';
import type { Deferral } from './planned.ts';
import { isDefinition } from './resources.ts';

/** An object that this manifest creates or changes. */
export interface Coming {
  readonly ref: ObjectRef;
  readonly object: KubernetesObject;
}

/** Kinds whose absence (or present state) makes the server refuse other objects. */
const REFERENCED: ReadonlySet<string> = new Set([
  '/ServiceAccount',
  '/ResourceQuota',
  '/LimitRange',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/ClusterRole',
  'scheduling.k8s.io/PriorityClass',
  'node.k8s.io/RuntimeClass',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
]);

/**
 * Whether a refusal may be premature: what it complains of changes while this very manifest is applied.
 *
 * @param ref the object that was refused
 * @param coming the objects that the manifest creates or changes
 * @returns why; empty if the refusal stands
 */
export function prematureBecause(ref: ObjectRef, failure: Status, coming: readonly Coming[]): Deferral {
  if (coming.some((each) => isDefinition(each.object) && defines(each.object, ref))) return 'kind';
  const text = failure.message ?? '';
  const named = coming.some(
    (each) =>
      REFERENCED.has(`${groupOf(each.ref.apiVersion)}/${each.ref.kind}`) &&
      (each.ref.namespace === '' || each.ref.namespace === ref.namespace) &&
      (isMissing(failure, text, ref, each.ref.name) || isLimit(text, each.ref)),
  );
  return named ? 'reference' : '';
}

function defines(definition: KubernetesObject, ref: ObjectRef): boolean {
  const spec = definition['spec'] as
    | { readonly group?: string; readonly names?: { readonly kind?: string } }
    | undefined;
  return spec?.group === groupOf(ref.apiVersion) && spec.names?.kind === ref.kind;
}

/**
 * `serviceaccount "web" not found`, `no PriorityClass with name high was found`, `RuntimeClass "gvisor" not found`; of a role that a binding
 * names only the status tells: 404 with another name than the binding's own. Source: the admission plugins' texts, Kubernetes 1.36.
 */
function isMissing(failure: Status, text: string, ref: ObjectRef, name: string): boolean {
  if (failure.code === 404 && failure.details?.name === name) return ref.kind.endsWith('RoleBinding');
  if (failure.code !== 403) return false;
  return text.includes(`"${name}" not found`) || text.includes(`with name ${name} was found`);
}

/** `exceeded quota: compute, requested: …`, `maximum cpu usage per Container is …`, `ValidatingAdmissionPolicy 'x' … denied request`. */
function isLimit(text: string, ref: ObjectRef): boolean {
  if (ref.kind === 'ResourceQuota')
    return text.includes(`exceeded quota: ${ref.name},`) || text.includes('failed quota: ');
  if (ref.kind === 'LimitRange')
    return /(maximum|minimum) \S+ usage per|must specify|max limit to request ratio/.test(text);
  return ref.kind === 'ValidatingAdmissionPolicy' && text.includes(`ValidatingAdmissionPolicy '${ref.name}'`);
}
