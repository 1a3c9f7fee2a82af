import type { FieldPath } from '../kubernetes.ts';
import type { Problem, SourcePosition } from '../problem.ts';
import type { Source } from './document.ts';
import { readPart } from './part.ts';
import { type Slice, splitDocuments } from './split.ts';
import type { ManifestFile } from './text.ts';
import { YamlFault } from './tree.ts';

/** One YAML document, as plain JSON data, with its positions. */
export interface ParsedDocument {
  readonly value: unknown;
  readonly source: Source;
}

export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly problems: readonly Problem[];
}

/**
 * Reads a file of YAML or JSON documents by Kubernetes' own rules. Never throws: what is wrong is a problem with its line, one for each
 * document. Only values are kept: a document is parsed once more when somebody asks for a position in it.
 */
export function parseYaml({ file, text }: ManifestFile): ParsedFile {
  const positionOf = positions(file, text);
  const documents: ParsedDocument[] = [];
  const problems: Problem[] = [];
  for (const slice of splitDocuments(text)) {
    try {
      documents.push(...read(file, text, slice, positionOf));
    } catch (error) {
      if (!(error instanceof YamlFault)) throw error;
      problems.push({ message: `${file}: ${error.message}`, position: positionOf(slice.start + error.offset) });
    }
  }
  return { documents, problems };
}

type PositionOf = (offset: number) => SourcePosition;

function read(file: string, text: string, slice: Slice, positionOf: PositionOf): readonly ParsedDocument[] {
  const part = text.slice(slice.start, slice.end);
  if (part.trim() === '') return [];
  return readPart(part).flatMap(({ value, root, locate }) => {
    if (value === null) return [];
    const at = (path: FieldPath) => positionOf(slice.start + (path.length === 0 ? root : locate(path)));
    return [{ value, source: { file, at } }];
  });
}

/** Turns offsets into lines and columns; the lines are counted when the first one is asked for. */
function positions(file: string, text: string): PositionOf {
  let starts: readonly number[] | null = null;
  return (offset) => {
    starts ??= lineStarts(text);
    const line = lineOf(starts, offset);
    return { file, line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The last line that starts at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low;
}
