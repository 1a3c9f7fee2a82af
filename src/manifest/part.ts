import type { FieldPath } from '../kubernetes.ts';
import { locate } from './locate.ts';
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
 * Reads a part of a file. Only values are kept, which are a small part of what the syntax trees weigh: the text is parsed once more when
 * somebody asks for a position in it.
 *
 * @throws YamlFault for the first thing that is wrong
 */
export function readPart(text: string): readonly Read[] {
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
