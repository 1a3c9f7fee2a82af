import type { FieldPath } from '../kubernetes.ts';
import { locate } from './locate.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { parseTrees } from './tree.ts';
import { unfold } from './unfold.ts';

/** A document's data. Offsets count from the start of the text that it was read from. */
export interface Read {
  readonly value: unknown;
  readonly root: number;
  /** The offset of the value at a path, or of its nearest ancestor. */
  readonly locate: (path: FieldPath) => number;
}

/**
 * Reads a part of a file: in the fast way if the text is plain, else by the rules of all of YAML. Only values are kept; a text is read once
 * more when somebody asks for a position in it.
 *
 * @throws YamlFault for the first thing that is wrong
 */
export function readPart(text: string): readonly Read[] {
  return readPlain(text) ?? readTrees(text);
}

function readPlain(text: string): readonly Read[] | null {
  // A last line break that is missing makes a difference to nothing but a text that keeps them all.
  const lines = text.endsWith('\n') || text.includes('|+') ? text : `${text}\n`;
  const plain = readPlainYaml(lines, null);
  if (plain === null) return null;
  const places = remembered(() => placesIn(lines));
  return [{ ...plain, locate: (path) => walk(places(), path) }];
}

interface Places {
  readonly value: unknown;
  readonly root: number;
  readonly offsets: ReadonlyMap<object, ReadonlyMap<string | number, number>>;
}

function placesIn(text: string): Places {
  const offsets = new Map<object, Map<string | number, number>>();
  const read = readPlainYaml(text, (container, key, offset) => {
    const known = offsets.get(container);
    if (known === undefined) offsets.set(container, new Map([[key, offset]]));
    else known.set(key, offset);
  });
  return { value: read?.value, root: read?.root ?? 0, offsets };
}

function walk(places: Places, path: FieldPath): number {
  let offset = places.root;
  let node = places.value;
  for (const step of path) {
    const found = typeof node === 'object' && node !== null ? places.offsets.get(node)?.get(step) : undefined;
    if (found === undefined) break;
    offset = found;
    node = (node as Readonly<Record<string | number, unknown>>)[step];
  }
  return offset;
}

function readTrees(text: string): readonly Read[] {
  const trees = remembered(() => parseTrees(text));
  return parseTrees(text).map((tree, index) => {
    const root = locate(tree, []);
    return {
      value: unfold(tree),
      root,
      locate: (path) => {
        const again = trees()[index];
        return again === undefined ? root : locate(again, path);
      },
    };
  });
}

/** Makes a thing again only after the memory for it was needed. */
function remembered<T extends object>(make: () => T): () => T {
  let kept: WeakRef<T> | null = null;
  return () => {
    const thing = kept?.deref() ?? make();
    kept = new WeakRef(thing);
    return thing;
  };
}
