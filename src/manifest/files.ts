import { glob, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '../problem.ts';

/** One file of the manifest, as text. */
export interface ManifestFile {
  /** Relative to the workspace, with forward slashes; as given where it lies outside. */
  readonly file: string;
  readonly text: string;
}

/** A folder that must be rendered by kustomize first. */
export interface KustomizationFolder {
  readonly folder: string;
  /** The kustomization file in it, named like a `ManifestFile`. */
  readonly file: string;
}

export interface FoundFiles {
  readonly files: readonly ManifestFile[];
  readonly kustomizations: readonly KustomizationFolder[];
  readonly problems: readonly Problem[];
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
const KUSTOMIZATION_FILES: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
/** What all files together may weigh: far above any manifest, far below what a runner has. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The files behind the entries of the input `manifests`, in the order of the entries, each once; those of a directory or a glob sorted by
 * name, as kubectl reads a directory.
 */
export async function findFiles(entries: readonly string[], workspace: string): Promise<FoundFiles> {
  const paths: string[] = [];
  const kustomizations: KustomizationFolder[] = [];
  const problems: Problem[] = [];
  for (const entry of entries) {
    const found = await expand(entry, workspace);
    paths.push(...found.paths);
    kustomizations.push(...found.kustomizations);
    problems.push(...found.problems.map((message) => ({ message, position: null })));
  }
  const read = await readAll([...new Set(paths)], workspace);
  return { files: read.files, kustomizations, problems: [...problems, ...read.problems] };
}

interface Expanded {
  readonly paths: readonly string[];
  readonly kustomizations: readonly KustomizationFolder[];
  readonly problems: readonly string[];
}

const NOTHING: Expanded = { paths: [], kustomizations: [], problems: [] };

async function expand(entry: string, workspace: string): Promise<Expanded> {
  const absolute = path.resolve(workspace, entry);
  const found = await stat(absolute).catch(() => null);
  if (found?.isFile() === true) return { ...NOTHING, paths: [absolute] };
  if (found?.isDirectory() === true) return expandDirectory(entry, absolute, workspace);
  if (!/[*?[{]/.test(entry)) return { ...NOTHING, problems: [`manifests: "${entry}" does not exist in ${workspace}`] };
  const matches = (await Array.fromAsync(glob(entry, { cwd: workspace })))
    .map((match) => path.resolve(workspace, match))
    .sort();
  const files: string[] = [];
  for (const match of matches) if ((await stat(match)).isFile()) files.push(match);
  if (files.length === 0)
    return { ...NOTHING, problems: [`manifests: the glob "${entry}" matches no file in ${workspace}`] };
  return { ...NOTHING, paths: files };
}

async function expandDirectory(entry: string, absolute: string, workspace: string): Promise<Expanded> {
  const names = await readdir(absolute, { recursive: true, withFileTypes: true });
  const own = KUSTOMIZATION_FILES.find((name) =>
    names.some((each) => each.name === name && each.parentPath === absolute),
  );
  if (own !== undefined) {
    return { ...NOTHING, kustomizations: [{ folder: absolute, file: shown(path.join(absolute, own), workspace) }] };
  }
  const files = names
    .filter((each) => each.isFile() && EXTENSIONS.has(path.extname(each.name)))
    .map((each) => path.join(each.parentPath, each.name))
    .sort();
  if (files.length > 0) return { ...NOTHING, paths: files };
  return { ...NOTHING, problems: [`manifests: the directory "${entry}" holds no .yaml, .yml or .json file`] };
}

async function readAll(
  paths: readonly string[],
  workspace: string,
): Promise<{ readonly files: readonly ManifestFile[]; readonly problems: readonly Problem[] }> {
  const files: ManifestFile[] = [];
  const problems: Problem[] = [];
  let total = 0;
  for (const each of paths) {
    const file = shown(each, workspace);
    const bytes = await readFile(each);
    total += bytes.length;
    if (total > MOST_BYTES) {
      problems.push({
        message: `manifests: the files hold more than ${MOST_BYTES / 1024 / 1024} MiB; deploy them in several steps`,
        position: { file, line: 1, column: 1 },
      });
      break;
    }
    const text = decode(bytes);
    if (text === null)
      problems.push({ message: `${file} is not UTF-8 text; save it as UTF-8`, position: { file, line: 1, column: 1 } });
    else files.push({ file, text });
  }
  return { files, problems };
}

/** null for what is not UTF-8; a byte order mark is taken off. */
function decode(bytes: Buffer): string | null {
  if (bytes[0] === 0xff || bytes[0] === 0xfe || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A path as the user would name it. */
function shown(absolute: string, workspace: string): string {
  const relative = path.relative(workspace, absolute);
  return (relative.startsWith('..') ? absolute : relative).split(path.sep).join('/');
}
