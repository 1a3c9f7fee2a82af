import type { Options } from '../options.ts';
import { GateError, type Problem, type SourcePosition } from '../problem.ts';
import type { Manifest, ManifestDocument } from './document.ts';
import { findFiles, type KustomizationFolder } from './files.ts';
import { overrideImages } from './images.ts';
import { renderKustomization } from './kustomize.ts';
import { duplicates, objectsOf } from './objects.ts';
import { explainTemplates } from './template.ts';
import { type ManifestFile, readTexts } from './text.ts';
import { parseYaml } from './yaml.ts';

/**
 * Reads all that the inputs `manifests` and `images` name.
 *
 * @param workspace the folder that relative paths start from
 * @throws GateError with every problem of every file, each on its line
 */
export async function readManifest(
  options: Pick<Options, 'manifests' | 'images'>,
  workspace: string,
): Promise<Manifest> {
  const found = await findFiles(options.manifests, workspace);
  const texts = await readTexts(found.files, workspace);
  const rendered = await Promise.all(found.kustomizations.map(readKustomization));
  const parts = [...texts.files.map(readFile), ...rendered];
  const documents = parts.flatMap((part) => part.documents);
  const problems = [
    ...found.problems,
    ...texts.problems,
    ...parts.flatMap((part) => part.problems),
    ...duplicates(documents),
  ];
  if (problems.length > 0) throw new GateError(problems);
  if (documents.length === 0) throw GateError.of(emptySentence(options.manifests));
  const { manifest, problems: unmatched } = overrideImages(documents, options.images);
  if (unmatched.length > 0) throw new GateError(unmatched);
  return manifest;
}

interface Part {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly Problem[];
}

function emptySentence(entries: readonly string[]): string {
  return `manifests: there is no object in ${entries.join(', ')}; every document is empty or commented out`;
}

function readFile(file: ManifestFile): Part {
  const parsed = parseYaml(file);
  const checked = parsed.documents.map(objectsOf);
  const problems = [...parsed.problems, ...checked.flatMap((each) => each.problems)];
  return { documents: checked.flatMap((each) => each.documents), problems: explainTemplates(problems, file) };
}

/** What kustomize made has no lines of its own: everything stands in the kustomization file. */
async function readKustomization(folder: KustomizationFolder): Promise<Part> {
  const position: SourcePosition = { file: folder.file, line: 1, column: 1 };
  const rendered = await renderKustomization(folder);
  if ('failure' in rendered) return { documents: [], problems: [{ message: rendered.failure, position }] };
  const part = readFile({ file: folder.file, text: rendered.yaml });
  return {
    documents: part.documents.map((document) => ({ ...document, source: { file: folder.file, at: () => position } })),
    problems: part.problems.map((problem) => ({ message: `as rendered by kustomize: ${problem.message}`, position })),
  };
}
