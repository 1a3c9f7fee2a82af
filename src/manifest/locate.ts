import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
} from 'yaml';
import type { FieldPath } from '../kubernetes.ts';
import { resolvePlain } from './scalars.ts';

/**
 * The offset of the value at the path, or of its nearest ancestor that the document has. A value that came through an alias stands where
 * the alias does, and what is inside of it where the anchor's is.
 */
export function locate(document: Document.Parsed, path: FieldPath): number {
  let node: Node | null = document.contents;
  for (const step of path) {
    const next = child(resolved(node, document), step, document);
    if (next === null) break;
    node = next;
  }
  return node?.range?.[0] ?? document.range[0];
}

/** The anchor that an alias means: the last one of its name before it. */
function resolved(node: unknown, document: Document.Parsed): Node | null {
  if (!isAlias(node)) return isNode(node) ? node : null;
  let found: Node | null = null;
  visit(document, {
    Node: (_, each) => {
      if (each === node) return visit.BREAK;
      if (!isAlias(each) && each.anchor === node.source) found = each;
      return undefined;
    },
  });
  return found;
}

function child(node: Node | null, step: string | number, document: Document.Parsed): Node | null {
  if (isMap(node)) return inMap(node, String(step), document);
  const item: unknown = isSeq(node) ? node.items[Number(step)] : null;
  return isNode(item) ? item : null;
}

/** The last that set the key wins: the mapping itself, or what is merged into it (`<<`). */
function inMap(map: YAMLMap, key: string, document: Document.Parsed): Node | null {
  for (const pair of map.items.toReversed() as readonly Pair[]) {
    const found = isMerge(pair) ? inMerged(pair.value, key, document) : ownValue(pair, key, document);
    if (found !== null) return found;
  }
  return null;
}

function ownValue(pair: Pair, key: string, document: Document.Parsed): Node | null {
  const node = resolved(pair.key, document);
  if (!isScalar(node) || keyText(node) !== key) return null;
  return isNode(pair.value) ? pair.value : node;
}

function keyText(node: { readonly value: unknown; readonly type?: string; readonly tag?: string | undefined }): string {
  const text = String(node.value ?? '');
  if (node.type !== 'PLAIN' || node.tag !== undefined) return text;
  const scalar = resolvePlain(text);
  return 'unfit' in scalar ? text : String(scalar.value);
}

function isMerge(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN';
}

function inMerged(value: unknown, key: string, document: Document.Parsed): Node | null {
  const merged = resolved(value, document);
  const maps = isSeq(merged) ? merged.items.map((item) => resolved(item, document)) : [merged];
  for (const each of maps) {
    const found = isMap(each) ? inMap(each, key, document) : null;
    if (found !== null) return found;
  }
  return null;
}
