import type { KubernetesObject } from '../kubernetes.ts';
import type { ObjectChange } from './api.ts';

/** The objects of one collection as they are known now, and what news mean for them. */
export interface Holding {
  /** Takes a whole list: what is gone first, then what is new or different, in the list's order. */
  readonly replace: (objects: readonly KubernetesObject[]) => readonly ObjectChange[];
  /** Takes one event of a watch; nothing comes of one that tells what is known already. */
  readonly take: (type: ObjectChange['type'], object: KubernetesObject) => readonly ObjectChange[];
}

export function createHolding(): Holding {
  const held = new Map<string, KubernetesObject>();

  function put(object: KubernetesObject): readonly ObjectChange[] {
    const key = keyOf(object);
    const before = held.get(key);
    if (before !== undefined && sameVersion(before, object)) return [];
    held.set(key, object);
    if (before === undefined) return [{ type: 'ADDED', object }];
    if (before.metadata.uid === object.metadata.uid) return [{ type: 'MODIFIED', object }];
    // Deleted and created again under the same name, and the deletion was missed.
    return [
      { type: 'DELETED', object: before },
      { type: 'ADDED', object },
    ];
  }

  function remove(key: string, last?: KubernetesObject): readonly ObjectChange[] {
    const before = held.get(key);
    if (before === undefined || !held.delete(key)) return [];
    return [{ type: 'DELETED', object: last ?? before }];
  }

  return {
    replace: (objects) => {
      const present = new Set(objects.map(keyOf));
      const gone = [...held.keys()].filter((key) => !present.has(key));
      return [...gone.flatMap((key) => remove(key)), ...objects.flatMap(put)];
    },
    take: (type, object) => {
      const key = keyOf(object);
      const before = held.get(key);
      if (before !== undefined && isOlder(object, before)) return [];
      if (type !== 'DELETED') return put(object);
      return before !== undefined && before.metadata.uid !== object.metadata.uid ? [] : remove(key, object);
    },
  };
}

function keyOf(object: KubernetesObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

function sameVersion(a: KubernetesObject, b: KubernetesObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    a.metadata.resourceVersion !== undefined &&
    a.metadata.resourceVersion === b.metadata.resourceVersion
  );
}

/** Versions are whole numbers that can be compared (KEP-5504); where an extension server has others, nothing is taken for old. */
function isOlder(object: KubernetesObject, than: KubernetesObject): boolean {
  const mine = object.metadata.resourceVersion ?? '';
  const known = than.metadata.resourceVersion ?? '';
  if (!/^[1-9]\d*$/.test(mine) || !/^[1-9]\d*$/.test(known)) return false;
  return BigInt(mine) < BigInt(known);
}
