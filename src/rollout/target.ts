import type { FieldChange } from '../apply/applied.ts';
import type { FieldPath, KubernetesObject, ObjectRef } from '../kubernetes.ts';
import type { SourcePosition } from '../problem.ts';

/** One object that is followed until it has become what was asked for. */
export interface Target {
  readonly ref: ObjectRef;
  /** The object as it stood right after our apply, or when the watch began (`mode: watch`): the revision that is ours. */
  readonly desired: KubernetesObject;
  /** The object before our apply; null if there was none, or if nothing was applied. */
  readonly before: KubernetesObject | null;
  readonly action: 'created' | 'changed' | 'unchanged' | 'watched';
  /** What our apply changed of it; null if nothing was applied. */
  readonly changes: readonly FieldChange[] | null;
  /** Milliseconds since the epoch, by the server's clock, at which the apply was answered, or the watch began. */
  readonly since: number;
  /** The field manager that we apply as, to tell our own changes from other people's. */
  readonly fieldManager: string;
  /** Where a field of the manifest stands; null if there is no manifest. */
  readonly positionOf: (path: FieldPath) => SourcePosition | null;
}
