import type { Options } from '../options.ts';
import { GateError, type Problem } from '../problem.ts';
import type { Manifest, ManifestDocument, Source } from './document.ts';
import { findFiles, type KustomizationFolder } from './files.ts';
import { overrideImages } from './images.ts';
import { renderKustomization } from './kustomize.ts';
import { duplicates, objectsOf } from './objects.ts';
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
  const rendered = await Promise.all(found.kustomizations.map(readKustomization));
  const parts = [...found.files.map((file) => read(file.file, file.text)), ...rendered];
  const documents = parts.flatMap((part) => part.documents);
  const problems = [...found.problems, ...parts.flatMap((part) => part.problems), ...duplicates(documents)];
  if (problems.length > 0) throw new GateError(problems);
  if (documents.length === 0)
    throw GateError.of(
      `manifests: there is no object in ${options.manifests.join(', ')}; is every document empty or commented out?`,
    );
  const { manifest, problems: unmatched } = overrideImages(documents, options.images);
  if (unmatched.length > 0) throw new GateError(unmatched);
  return manifest;
}

interface Part {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly Problem[];
}

function read(file: string, text: string): Part {
  const parsed = parseYaml({ file, text });
  const problems = parsed.problems.length > 0 && /\{\{.*\}\}/.test(text) ? [template(file, text)] : parsed.problems;
  const checked = parsed.documents.map(objectsOf);
  return {
    documents: checked.flatMap((each) => each.documents),
    problems: [...problems, ...checked.flatMap((each) => each.problems)],
  };
}

function template(file: string, text: string): Problem {
  const line = text.slice(0, text.search(/\{\{/)).split('\n').length;
  return {
    message: `${file} is a template ({{ … }}), not a manifest; render it first (helm template)`,
    position: { file, line, column: 1 },
  };
}

/** What kustomize made has no lines of its own: everything stands in the kustomization file. */
async function readKustomization(folder: KustomizationFolder): Promise<Part> {
  const position = { file: folder.file, line: 1, column: 1 };
  const rendered = await renderKustomization(folder);
  if ('failure' in rendered) return { documents: [], problems: [{ message: rendered.failure, position }] };
  const part = read(folder.file, rendered.yaml);
  const source: Source = { file: folder.file, at: () => position };
  return {
    documents: part.documents.map((document) => ({ ...document, source })),
    problems: part.problems.map((problem) => ({ ...problem, position })),
  };
}
