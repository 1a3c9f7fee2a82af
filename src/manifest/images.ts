import { type FieldPath, type KubernetesObject, shortName } from '../kubernetes.ts';
import type { ImageOverride } from '../options.ts';
import type { Problem } from '../problem.ts';
import type { ImageChange, Manifest, ManifestDocument } from './document.ts';
import { parseImage } from './image-reference.ts';

interface ContainerPlace {
  readonly document: ManifestDocument;
  readonly path: FieldPath;
  readonly name: string;
  readonly image: string;
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Where kinds keep a pod spec; a custom resource that has one at the same place (Argo's Rollout) is meant too. */
const POD_SPECS: readonly FieldPath[] = [
  ['spec'],
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  ['template', 'spec'],
];

/**
 * Changes the images of the containers that the entries mean: those whose image is of the named repository, or else those with the named
 * container name. What an entry means is settled on the manifest as it was read, so that entries do not change each other's work.
 *
 * @returns the changed manifest, or a problem for each entry that means no container
 */
export function overrideImages(
  documents: readonly ManifestDocument[],
  overrides: readonly ImageOverride[],
): { readonly manifest: Manifest; readonly problems: readonly Problem[] } {
  const places = documents.flatMap(placesIn);
  const matched = overrides.map((override) => ({ override, places: matching(override, places) }));
  const problems = matched.filter((each) => each.places.length === 0).map((each) => unmatched(each.override, places));
  const imageChanges: readonly ImageChange[] = matched.flatMap(({ override, places: meant }) =>
    meant.map((place) => ({
      entry: override.entry,
      document: place.document.ref,
      path: place.path,
      from: place.image,
      to: override.reference,
    })),
  );
  const changed = documents.map((document) => {
    const own = imageChanges.filter((change) => change.document === document.ref);
    const object = own.reduce<unknown>((each, change) => withField(each, change.path, change.to), document.object);
    return { ...document, object: object as KubernetesObject };
  });
  return { manifest: { documents: changed, imageChanges }, problems };
}

function placesIn(document: ManifestDocument): readonly ContainerPlace[] {
  return POD_SPECS.flatMap((base) =>
    LISTS.flatMap((list) => {
      const containers = at(document.object, [...base, list]);
      if (!Array.isArray(containers)) return [];
      return containers.flatMap((container: unknown, index) => {
        const { name, image } = (container ?? {}) as { readonly name?: unknown; readonly image?: unknown };
        if (typeof image !== 'string') return [];
        return [{ document, path: [...base, list, index, 'image'], name: String(name ?? ''), image }];
      });
    }),
  );
}

function at(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (node, step) => (node as Record<string | number, unknown> | null | undefined)?.[step],
    value,
  );
}

function matching(override: ImageOverride, places: readonly ContainerPlace[]): readonly ContainerPlace[] {
  const wanted = parseImage(override.name)?.repository;
  const byRepository = places.filter((place) => wanted !== undefined && parseImage(place.image)?.repository === wanted);
  return byRepository.length > 0 ? byRepository : places.filter((place) => place.name === override.name);
}

function unmatched(override: ImageOverride, places: readonly ContainerPlace[]): Problem {
  const there = [
    ...new Set(places.map((place) => `${place.image} (${shortName(place.document.ref)}, container ${place.name})`)),
  ];
  const list =
    there.length === 0 ? 'the manifests have no container' : `the manifests have ${there.slice(0, 10).join('; ')}`;
  return { message: `images: "${override.entry}" matches no container's image or name: ${list}`, position: null };
}

/** A copy with one field changed: nothing is shared with what an anchor used elsewhere. */
function withField(value: unknown, path: FieldPath, to: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return to;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withField(item, rest, to) : item));
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [step]: withField(object[step], rest, to) };
}
