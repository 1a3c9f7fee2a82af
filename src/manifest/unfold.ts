import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { resolvePlain, resolveTagged, type Scalar } from './scalars.ts';
import { YamlFault } from './tree.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A value and how many values it is made of, once every alias in it is written out. */
interface Unfolded {
  readonly value: Json;
  readonly size: number;
}

/** What aliases may add: far more than any manifest's, far less than what a few hostile lines could unfold to. */
const MOST_ALIASED = 1_000_000;

/**
 * The plain data of a document, with aliases, merges (`<<`), keys and scalars as kubectl has them. A key that stands twice is a fault,
 * which kubectl lets pass.
 *
 * @throws YamlFault with an offset from the start of the document's text
 */
export function unfold(document: Document.Parsed): unknown {
  const anchors = new Map<string, Unfolded>();
  let aliased = 0;

  function unfoldNode(node: unknown): Unfolded {
    const unfolded = unfoldContent(node as Node | null);
    const anchor = (node as { readonly anchor?: string } | null)?.anchor;
    if (anchor !== undefined) anchors.set(anchor, unfolded);
    return unfolded;
  }

  function unfoldContent(node: Node | null): Unfolded {
    if (isMap(node)) return unfoldMap(node);
    if (isSeq(node)) return unfoldList(node.items);
    if (isScalar(node)) return { value: scalarValue(node), size: 1 };
    if (isAlias(node)) return unfoldAlias(node.source, offsetOf(node));
    return { value: null, size: 1 };
  }

  function unfoldAlias(anchor: string, offset: number): Unfolded {
    const known = anchors.get(anchor);
    if (known === undefined) throw new YamlFault(`the alias *${anchor} stands for no anchor before it`, offset);
    aliased += known.size;
    if (aliased > MOST_ALIASED)
      throw new YamlFault(`the aliases of this document unfold to more than ${MOST_ALIASED} values`, offset);
    return known;
  }

  function unfoldList(items: readonly unknown[]): Unfolded {
    const all = items.map(unfoldNode);
    return { value: all.map((each) => each.value), size: total(all) };
  }

  function unfoldMap(map: YAMLMap): Unfolded {
    const fields = new Map<string, Unfolded>();
    const own = new Set<string>();
    let mergedSize = 0;
    for (const pair of map.items as readonly Pair[]) {
      if (isMergeKey(pair.key)) {
        const from = unfoldNode(pair.value);
        mergedSize += from.size;
        for (const [key, value] of mergedFields(from.value, offsetOf(pair.value))) fields.set(key, { value, size: 0 });
        continue;
      }
      const key = keyOf(pair.key);
      if (own.has(key)) throw new YamlFault(duplicateKey(key), offsetOf(pair.key));
      own.add(key);
      fields.set(key, unfoldNode(pair.value));
    }
    const value = Object.fromEntries([...fields].map(([key, each]) => [key, each.value] as const));
    return { value, size: mergedSize + total([...fields.values()]) };
  }

  function keyOf(node: unknown): string {
    const { value } = unfoldNode(node);
    if (typeof value === 'object') throw new YamlFault(unfitKey(value), offsetOf(node));
    return String(value);
  }

  return unfoldNode(document.contents).value;
}

/** Of several maps the earlier one wins; and, as in go-yaml 2, what is merged wins over what stands before it. */
function mergedFields(value: Json, offset: number): readonly (readonly [string, Json])[] {
  const maps = Array.isArray(value) ? value.toReversed() : [value];
  return maps.flatMap((each: Json) => {
    if (!isObject(each)) throw new YamlFault('<< takes a mapping, or a list of mappings', offset);
    return Object.entries(each);
  });
}

/** The sentence on a key that a mapping has already. */
export function duplicateKey(key: string): string {
  return `the key ${JSON.stringify(key)} stands twice in the same mapping; remove one of them`;
}

function unfitKey(value: Json): string {
  const what = value === null ? 'nothing' : 'a mapping or a list';
  return `${what} cannot be a key; put the key in quotes if it is meant as text`;
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMergeKey(node: unknown): boolean {
  return isScalar(node) && node.value === '<<' && node.type === 'PLAIN' && node.tag === undefined;
}

function scalarValue(
  node: Node & { readonly value: unknown; readonly type?: string },
): string | number | boolean | null {
  const text = typeof node.value === 'string' ? node.value : '';
  const scalar = meaning(text, node);
  if ('unfit' in scalar) throw new YamlFault(scalar.unfit, offsetOf(node));
  return scalar.value;
}

function meaning(text: string, node: { readonly tag?: string | undefined; readonly type?: string }): Scalar {
  if (node.tag !== undefined) return resolveTagged(node.tag, text);
  return node.type === 'PLAIN' ? resolvePlain(text) : { value: text };
}

function offsetOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}

function total(all: readonly Unfolded[]): number {
  return all.reduce((sum, each) => sum + each.size, 1);
}
