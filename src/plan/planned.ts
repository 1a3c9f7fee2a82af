import type { FieldChange } from '../apply/applied.ts';
import type { ApiResource } from '../cluster/api.ts';
import type { KubernetesObject, ObjectRef } from '../kubernetes.ts';
import type { ManifestDocument } from '../manifest/document.ts';
import type { Options } from '../options.ts';

/**
 * Why the server could not check an object wholly before the first apply: its namespace or its kind is created (or the kind's definition
 * changed) by this very manifest, or it refers to an object that is. The first two are checked again once the namespaces and definitions
 * are there, before anything else is applied; the third by its own apply. Empty where it was checked.
 */
export type Deferral = '' | 'namespace' | 'kind' | 'reference';

/** One object on its way to the cluster. */
export interface Planned {
  readonly document: ManifestDocument;
  /** Like the document's, with the namespace settled. */
  readonly ref: ObjectRef;
  readonly resource: ApiResource;
  /** The live object; null if there is none, or if it is not known yet (deferred). */
  readonly live: KubernetesObject | null;
  readonly action: 'create' | 'change' | 'keep';
  readonly changes: readonly FieldChange[];
  readonly deferred: Deferral;
}

/** The objects in the order in which they are applied. */
export interface Plan {
  readonly objects: readonly Planned[];
}

export type PlanOptions = Pick<Options, 'namespace' | 'fieldManager' | 'forceConflicts'>;
