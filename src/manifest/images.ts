import { type FieldPath, type KubernetesObject, shortName } from '../kubernetes.ts';
import type { ImageOverride } from '../options.ts';
import type { Problem } from '../problem.ts';
import { type ContainerImage, containerImages } from './container-images.ts';
import type { ImageChange, Manifest, ManifestDocument } from './document.ts';
import { parseImage } from './image-reference.ts';

/** An entry, and a container that it means. */
interface Match {
  readonly override: ImageOverride;
  readonly image: ContainerImage;
}

/** So many images are listed to who named one that is not there. */
const MOST_LISTED = 20;

/**
 * Changes the images of the containers that the entries mean: those whose image is of the named repository, or, if there is none, those
 * with the named container name. What an entry means is settled on the manifests as they were read: entries do not see each other's work.
 *
 * @returns the changed manifest; or problems: entries that mean no container, and entries that contradict each other
 */
export function overrideImages(
  documents: readonly ManifestDocument[],
  overrides: readonly ImageOverride[],
): { readonly manifest: Manifest; readonly problems: readonly Problem[] } {
  const images = documents.flatMap(containerImages);
  const matches = overrides.map((override) => matching(override, images).map((image) => ({ override, image })));
  const problems = [
    ...overrides.filter((_, index) => matches[index]?.length === 0).map((override) => unmatched(override, images)),
    ...contradictions(matches.flat()),
  ];
  const changes = matches.flat().filter(({ override, image }) => image.image !== override.reference);
  const byDocument = Map.groupBy(changes, ({ image }) => image.document);
  const changed = documents.map((document) => withImages(document, byDocument.get(document) ?? []));
  return { manifest: { documents: changed, imageChanges: dedupe(changes).map(changeOf) }, problems };
}

function matching(override: ImageOverride, images: readonly ContainerImage[]): readonly ContainerImage[] {
  const repository = parseImage(override.name)?.repository;
  const ofRepository = images.filter(
    (image) => repository !== undefined && parseImage(image.image)?.repository === repository,
  );
  return ofRepository.length > 0 ? ofRepository : images.filter((image) => image.container === override.name);
}

function unmatched(override: ImageOverride, images: readonly ContainerImage[]): Problem {
  const there = [
    ...new Set(images.map((each) => `${each.image} (container ${each.container} of ${shortName(each.document.ref)})`)),
  ];
  const more = there.length > MOST_LISTED ? ` and ${there.length - MOST_LISTED} more` : '';
  const list =
    there.length === 0
      ? 'the manifests have no container with an image'
      : `the manifests have ${there.slice(0, MOST_LISTED).join(', ')}${more}`;
  const message = `images: ${JSON.stringify(override.entry)} matches neither an image's repository nor a container's name; ${list}`;
  return { message, position: null };
}

function contradictions(matches: readonly Match[]): readonly Problem[] {
  return [...Map.groupBy(matches, ({ image }) => image)].flatMap(([image, all]) => {
    const entries = new Map(all.map(({ override }) => [override.reference, JSON.stringify(override.entry)]));
    if (entries.size < 2) return [];
    const where = `container ${image.container} of ${shortName(image.document.ref)}`;
    const message = `images: the entries ${[...entries.values()].join(' and ')} both set the image of ${where}; keep one of them`;
    return [{ message, position: image.document.source.at(image.path) }];
  });
}

/** Two equal entries make one change. */
function dedupe(changes: readonly Match[]): readonly Match[] {
  return [...new Map(changes.map((change) => [change.image, change])).values()];
}

function changeOf({ override, image }: Match): ImageChange {
  const { document, path, image: from } = image;
  return { entry: override.entry, document: document.ref, path, from, to: override.reference };
}

function withImages(document: ManifestDocument, changes: readonly Match[]): ManifestDocument {
  if (changes.length === 0) return document;
  const object = changes.reduce<unknown>(
    (each, { override, image }) => withField(each, image.path, override.reference),
    document.object,
  );
  return { ...document, object: object as KubernetesObject };
}

/** A copy with one field changed: what an anchor used elsewhere stays as it was. */
function withField(value: unknown, path: FieldPath, to: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return to;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withField(item, rest, to) : item));
  const object = value as Readonly<Record<string, unknown>>;
  const fields = Object.entries(object).map(([key, field]) => [key, key === step ? withField(field, rest, to) : field]);
  return Object.fromEntries(fields);
}
