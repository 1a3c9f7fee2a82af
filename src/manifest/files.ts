import { glob, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '../problem.ts';

/** A folder that must be rendered by kustomize first. */
export interface KustomizationFolder {
  readonly folder: string;
  /** The kustomization file in it, as the user would name it. */
  readonly file: string;
}

/** What the entries of the input `manifests` mean: absolute paths of files, in order, each once. */
export interface FoundFiles {
  readonly files: readonly string[];
  readonly kustomizations: readonly KustomizationFolder[];
  readonly problems: readonly Problem[];
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
const KUSTOMIZATION_FILES: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/**
 * Finds the files behind the entries of the input `manifests`: those of a directory or a glob sorted by path, as kubectl reads a
 * directory. A directory that holds a kustomization is not read but rendered.
 */
export async function findFiles(entries: readonly string[], workspace: string): Promise<FoundFiles> {
  const all: Found[] = [];
  for (const entry of entries) all.push(await expand(entry, workspace));
  const kustomizations = new Map(all.flatMap((found) => found.kustomizations).map((each) => [each.folder, each]));
  return {
    files: [...new Set(all.flatMap((found) => found.files))],
    kustomizations: [...kustomizations.values()],
    problems: all.flatMap((found) => found.problems).map((message) => ({ message, position: null })),
  };
}

/** A path as the user would name it: relative to the workspace, with forward slashes; absolute if it lies outside. */
export function shownPath(absolute: string, workspace: string): string {
  const relative = path.relative(workspace, absolute);
  const outside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return (outside ? absolute : relative).split(path.sep).join('/');
}

interface Found {
  readonly files: readonly string[];
  readonly kustomizations: readonly KustomizationFolder[];
  readonly problems: readonly string[];
}

const NOTHING: Found = { files: [], kustomizations: [], problems: [] };

function nothing(entry: string, why: string): Found {
  return { ...NOTHING, problems: [`manifests: ${JSON.stringify(entry)} ${why}`] };
}

async function expand(entry: string, workspace: string): Promise<Found> {
  const absolute = path.resolve(workspace, entry);
  const found = await stat(absolute).catch(() => null);
  if (found?.isFile() === true) return { ...NOTHING, files: [absolute] };
  if (found?.isDirectory() === true) return expandDirectory(entry, absolute, workspace);
  if (found !== null) return nothing(entry, 'is neither a file nor a directory');
  if (/[*?[{]/.test(entry)) return expandGlob(entry, workspace);
  return nothing(
    entry,
    `does not exist in ${workspace}; was the repository checked out, and is the path relative to it?`,
  );
}

async function expandGlob(entry: string, workspace: string): Promise<Found> {
  const matches = (await Array.fromAsync(glob(entry, { cwd: workspace }))).map((each) => path.resolve(workspace, each));
  if (matches.length === 0) return nothing(entry, `is a glob that matches nothing in ${workspace}`);
  const files = await manifestsAmong(matches);
  if (files.length > 0) return { ...NOTHING, files };
  return nothing(
    entry,
    'is a glob that matches no .yaml, .yml or .json file; to read or render whole directories, name each of them',
  );
}

async function expandDirectory(entry: string, directory: string, workspace: string): Promise<Found> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error: Error) => error);
  if (names instanceof Error) return nothing(entry, `cannot be read: ${names.message}`);
  const own = KUSTOMIZATION_FILES.find((name) =>
    names.some((each) => each.name === name && each.parentPath === directory),
  );
  if (own !== undefined) {
    const file = shownPath(path.join(directory, own), workspace);
    return { ...NOTHING, kustomizations: [{ folder: directory, file }] };
  }
  const files = await manifestsAmong(names.map((each) => path.join(each.parentPath, each.name)));
  return files.length > 0
    ? { ...NOTHING, files }
    : nothing(entry, 'is a directory without a .yaml, .yml or .json file');
}

/** Links to files are followed, as kubectl does; links to directories are not. */
async function manifestsAmong(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const each of paths.filter((name) => EXTENSIONS.has(path.extname(name)))) {
    if ((await stat(each).catch(() => null))?.isFile() === true) files.push(each);
  }
  return files.sort();
}
