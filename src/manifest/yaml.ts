import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml';
import type { FieldPath } from '../kubernetes.ts';
import type { Problem } from '../problem.ts';
import type { Source } from './document.ts';
import type { ManifestFile } from './files.ts';
import { KUBERNETES_SCALARS } from './scalars.ts';

/** One YAML document, as plain JSON data, with its positions. */
export interface ParsedDocument {
  readonly value: unknown;
  readonly source: Source;
}

export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly problems: readonly Problem[];
}

/** More uses of one anchor than any manifest has: beyond it a few lines could unfold to gigabytes. */
const MOST_ALIASES = 2000;

/** Reads a file of YAML or JSON documents by Kubernetes' own rules. Never throws: what is wrong is a problem with its line. */
export function parseYaml({ file, text }: ManifestFile): ParsedFile {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    version: '1.2',
    merge: true,
    intAsBigInt: true,
    uniqueKeys: true,
    lineCounter: lines,
    prettyErrors: false,
    customTags: (tags) => [...KUBERNETES_SCALARS, ...tags],
  });
  // A file without any document is an object with no elements.
  const all = Array.isArray(parsed) ? (parsed as Document.Parsed[]) : [];
  const documents: ParsedDocument[] = [];
  const problems: Problem[] = [];
  for (const document of all) {
    const position = (offset: number) => positionAt(file, lines, offset);
    if (document.errors.length > 0) {
      problems.push(
        ...document.errors
          .slice(0, 5)
          .map((error) => ({ message: `${file}: ${sentence(error.message)}`, position: position(error.pos[0]) })),
      );
      continue;
    }
    if (isEmpty(document)) continue;
    try {
      const value: unknown = toJson(document.toJS({ maxAliasCount: MOST_ALIASES }), []);
      documents.push({ value, source: sourceOf(file, document, lines) });
    } catch (error) {
      problems.push({ message: `${file}: ${(error as Error).message}`, position: position(document.range[0]) });
    }
  }
  return { documents, problems };
}

function isEmpty(document: Document.Parsed): boolean {
  const contents = document.contents as Node | null;
  return contents === null || (isScalar(contents) && contents.value === null);
}

function sentence(message: string): string {
  return message === 'Map keys must be unique'
    ? 'this key stands twice in the same mapping; remove one of them'
    : message;
}

/** Plain data, or an error for what JSON cannot say. Whole numbers keep all their digits or are refused. */
function toJson(value: unknown, path: FieldPath): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (!Number.isSafeInteger(number))
      throw new Error(
        `the number ${value} at ${path.join('.')} is too large to be passed on exactly; quote it if it is meant as text`,
      );
    return number;
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${value} at ${path.join('.')} has no form in JSON, which Kubernetes speaks`);
  if (Array.isArray(value)) return value.map((item, index) => toJson(item, [...path, index]));
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [String(key), toJson(item, [...path, String(key)])]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item, [...path, key])]));
}

function sourceOf(file: string, document: Document.Parsed, lines: LineCounter): Source {
  return {
    file,
    at: (path) => {
      const node = nearest(document, path);
      return positionAt(file, lines, node?.range?.[0] ?? document.range[0]);
    },
  };
}

function positionAt(file: string, lines: LineCounter, offset: number) {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(1, line), column: Math.max(1, col) };
}

/** The node at the path, or the deepest ancestor of it that the document has. */
function nearest(document: Document.Parsed, path: FieldPath): Node | null {
  let node: Node | null = document.contents;
  for (const step of path) {
    const next = child(resolved(node, document), step, document);
    if (next === null) return node;
    node = next;
  }
  return node;
}

function resolved(node: Node | null, document: Document.Parsed): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

function child(node: Node | null, step: string | number, document: Document.Parsed): Node | null {
  if (!isCollection(node)) return null;
  if (!isMap(node)) {
    const item: unknown = node.items[Number(step)];
    return isNode(item) ? item : null;
  }
  return inMap(node, String(step), document);
}

/** A key of the mapping itself, or of one that is merged into it (`<<`). */
function inMap(map: YAMLMap, key: string, document: Document.Parsed): Node | null {
  for (const pair of map.items) {
    if (isPair(pair) && isScalar(pair.key) && String(pair.key.value) === key)
      return isNode(pair.value) ? pair.value : isNode(pair.key) ? pair.key : null;
  }
  for (const pair of map.items) {
    if (!isScalar(pair.key) || !isMergeKey(pair.key.value)) continue;
    const merged = isNode(pair.value) ? resolved(pair.value, document) : null;
    const maps = isMap(merged)
      ? [merged]
      : isCollection(merged)
        ? merged.items.map((item) => (isNode(item) ? resolved(item, document) : null))
        : [];
    for (const each of maps) {
      const found = isMap(each) ? inMap(each, key, document) : null;
      if (found !== null) return found;
    }
  }
  return null;
}

function isMergeKey(value: unknown): boolean {
  return value === '<<' || (typeof value === 'symbol' && value.description === '<<');
}
