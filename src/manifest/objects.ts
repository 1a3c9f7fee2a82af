import { type KubernetesObject, refKey, refOf, shortName } from '../kubernetes.ts';
import type { Problem } from '../problem.ts';
import type { ManifestDocument } from './document.ts';
import { described, isMapping, type Mapping, shapeProblems } from './shape.ts';
import type { ParsedDocument } from './yaml.ts';

interface Checked {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly Problem[];
}

/** The objects of a parsed document: itself, or the items of a List, as kubectl takes it apart. */
export function objectsOf({ value, source }: ParsedDocument): Checked {
  if (!isMapping(value)) {
    const message = `${source.file}: here is ${described(value)} where an object of Kubernetes should be`;
    return { documents: [], problems: [{ message, position: source.at([]) }] };
  }
  if (isList(value)) return fromList(value, source);
  const problems = shapeProblems(value, source);
  if (problems.length > 0) return { documents: [], problems };
  const object = value as KubernetesObject;
  return { documents: [{ object, ref: refOf(object), source }], problems: [] };
}

type List = Mapping & { readonly apiVersion: string; readonly kind: string; readonly items: readonly unknown[] };

/** A custom kind may be called AllowList: what has no list of items is an object like any other. */
function isList(value: Mapping): value is List {
  const { apiVersion, kind, items } = value;
  return typeof apiVersion === 'string' && typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
}

function fromList(list: List, source: ParsedDocument['source']): Checked {
  const parts = list.items.map((item, index) =>
    objectsOf({
      value: withKind(item, list),
      source: { file: source.file, at: (path) => source.at(['items', index, ...path]) },
    }),
  );
  return { documents: parts.flatMap((part) => part.documents), problems: parts.flatMap((part) => part.problems) };
}

/**
 * An item of, say, a DeploymentList may leave out what its list says. Source: apimachinery, unstructured/helpers.go, decodeToList.
 */
function withKind(item: unknown, list: List): unknown {
  const kind = list.kind.slice(0, -'List'.length);
  const left = isMapping(item) && item['kind'] === undefined && item['apiVersion'] === undefined;
  return left && kind !== '' ? { apiVersion: list.apiVersion, kind, ...item } : item;
}

/** The same object twice, whichever version of its group it names: the second would silently win. */
export function duplicates(documents: readonly ManifestDocument[]): readonly Problem[] {
  const first = new Map<string, ManifestDocument>();
  return documents.flatMap((document) => {
    const key = refKey(document.ref);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, document);
      return [];
    }
    const position = document.source.at([]);
    const there = earlier.source.at([]);
    const where = document.ref.namespace === '' ? '' : ` in namespace ${document.ref.namespace}`;
    const message = `${position.file}: ${shortName(document.ref)}${where} stands in the manifests twice, first at ${there.file}:${there.line}; remove one of the two`;
    return [{ message, position }];
  });
}
