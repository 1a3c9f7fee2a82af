import type { KubernetesObject, ObjectRef } from '../kubernetes.ts';
import type { Source } from '../manifest/document.ts';

/** One field that an apply changed, by its path as a person would write it: `spec.template.spec.containers[app].image`. */
export interface FieldChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What the cluster holds of one object of the manifest after our apply. */
export interface Applied {
  readonly ref: ObjectRef;
  readonly source: Source;
  readonly action: 'created' | 'changed' | 'unchanged';
  readonly changes: readonly FieldChange[];
  /** The live object before our apply; null if there was none. */
  readonly before: KubernetesObject | null;
  /** The live object as the server returned it for our apply. */
  readonly after: KubernetesObject;
  /** Milliseconds since the epoch, by the server's clock, at which the apply was answered. */
  readonly appliedAt: number;
}
