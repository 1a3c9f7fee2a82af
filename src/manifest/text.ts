import { readFile, stat } from 'node:fs/promises';
import type { Problem } from '../problem.ts';
import { shownPath } from './files.ts';

/** One file of the manifest, as text. */
export interface ManifestFile {
  /** As the user would name it, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

/** What all files together may weigh: far above any manifest, far below what a runner has. */
export const MOST_BYTES = 16 * 1024 * 1024;

/** Reads files as UTF-8 text; what cannot be read is a problem. */
export async function readTexts(
  paths: readonly string[],
  workspace: string,
): Promise<{ readonly files: readonly ManifestFile[]; readonly problems: readonly Problem[] }> {
  const files: ManifestFile[] = [];
  const problems: Problem[] = [];
  let total = 0;
  for (const each of paths) {
    const file = shownPath(each, workspace);
    const read = await readText(each, MOST_BYTES - total);
    if ('failure' in read) {
      problems.push({ message: `${file} ${read.failure}`, position: { file, line: 1, column: 1 } });
      continue;
    }
    total += read.bytes;
    files.push({ file, text: read.text });
  }
  return { files, problems };
}

type Read = { readonly text: string; readonly bytes: number } | { readonly failure: string };

async function readText(absolute: string, room: number): Promise<Read> {
  try {
    if ((await stat(absolute)).size > room)
      return {
        failure: `brings the manifests to more than ${MOST_BYTES / 1024 / 1024} MiB; deploy them in several steps`,
      };
    const bytes = await readFile(absolute);
    const text = decode(bytes);
    return typeof text === 'string' ? { text, bytes: bytes.length } : text;
  } catch (error) {
    return { failure: `cannot be read: ${(error as Error).message}` };
  }
}

/** A byte order mark is taken off. */
function decode(bytes: Buffer): string | { readonly failure: string } {
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (wide || bytes.subarray(0, 4).includes(0)) return { failure: 'is UTF-16 or UTF-32; save it as UTF-8' };
  if (bytes.includes(0)) return { failure: 'holds NUL bytes: it is no text' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { failure: 'is not UTF-8; save it as UTF-8' };
  }
}
