import { type FieldPath, groupOf, type ObjectRef } from '../kubernetes.ts';
import type { ManifestDocument } from './document.ts';

/** A container of a manifest that names an image. */
export interface ContainerImage {
  readonly document: ManifestDocument;
  /** Where the image stands in the object. */
  readonly path: FieldPath;
  readonly container: string;
  readonly image: string;
}

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Where a kind keeps its pod spec: most workloads, and many custom resources (Argo's Rollout, Knative's Service), in a template. */
function podSpecPath({ apiVersion, kind }: ObjectRef): FieldPath {
  switch (`${groupOf(apiVersion)}/${kind}`) {
    case '/Pod':
      return ['spec'];
    case '/PodTemplate':
      return ['template', 'spec'];
    case 'batch/CronJob':
      return ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
    default:
      return ['spec', 'template', 'spec'];
  }
}

/** The images of a document's containers, in the order in which they start. */
export function containerImages(document: ManifestDocument): readonly ContainerImage[] {
  const base = podSpecPath(document.ref);
  return CONTAINER_LISTS.flatMap((list) => {
    const containers = valueAt(document.object, [...base, list]);
    if (!Array.isArray(containers)) return [];
    return containers.flatMap((container: unknown, index) => {
      const image = valueAt(container, ['image']);
      const name = valueAt(container, ['name']);
      if (typeof image !== 'string') return [];
      return [
        { document, path: [...base, list, index, 'image'], container: typeof name === 'string' ? name : '', image },
      ];
    });
  });
}

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (node, step) =>
      typeof node === 'object' && node !== null ? (node as Record<string | number, unknown>)[step] : undefined,
    value,
  );
}
