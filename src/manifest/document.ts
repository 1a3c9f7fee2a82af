import type { FieldPath, KubernetesObject, ObjectRef } from '../kubernetes.ts';
import type { SourcePosition } from '../problem.ts';

/** Where a document stands in its file. */
export interface Source {
  readonly file: string;
  /** The position of a field's value, or of its nearest ancestor that the document has. */
  readonly at: (path: FieldPath) => SourcePosition;
}

/** One object of the manifest, as the document said it plus the image overrides: every field, known or not, is kept. */
export interface ManifestDocument {
  readonly object: KubernetesObject;
  /** `namespace` is empty where the document names none: what it becomes depends on the kind's scope and is settled by the plan. */
  readonly ref: ObjectRef;
  readonly source: Source;
}

/** What an entry of the input `images` changed. */
export interface ImageChange {
  readonly entry: string;
  readonly document: ObjectRef;
  readonly path: FieldPath;
  readonly from: string;
  readonly to: string;
}

/** All that the manifests ask for, in the order of the files. */
export interface Manifest {
  readonly documents: readonly ManifestDocument[];
  readonly imageChanges: readonly ImageChange[];
}
