import { type KubernetesObject, refKey, refOf, shortName } from '../kubernetes.ts';
import type { Problem, SourcePosition } from '../problem.ts';
import type { ManifestDocument, Source } from './document.ts';
import type { ParsedDocument } from './yaml.ts';

interface Checked {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly Problem[];
}

/** The objects of a parsed document: itself, or the items of a List, as kubectl takes it apart. */
export function objectsOf(parsed: ParsedDocument): Checked {
  return check(parsed.value, parsed.source);
}

function check(value: unknown, source: Source): Checked {
  const here = source.at([]);
  if (!isMapping(value))
    return refused(`${here.file} holds ${described(value)} where an object of Kubernetes should be`, here);
  const problem = shapeProblem(value, source);
  if (problem !== null) return { documents: [], problems: [problem] };
  if (isList(value)) return fromList(value['items'], source);
  const object = value as KubernetesObject;
  const named = nameProblem(object, source);
  return named === null
    ? { documents: [{ object, ref: refOf(object), source }], problems: [] }
    : { documents: [], problems: [named] };
}

function fromList(items: readonly unknown[], source: Source): Checked {
  const parts = items.map((item, index) =>
    check(item, { file: source.file, at: (path) => source.at(['items', index, ...path]) }),
  );
  return { documents: parts.flatMap((part) => part.documents), problems: parts.flatMap((part) => part.problems) };
}

type Mapping = Readonly<Record<string, unknown>>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Mapping): value is Mapping & { readonly items: readonly unknown[] } {
  return typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items']);
}

/** What keeps a mapping from being an object of Kubernetes at all; says what it looks like instead. */
function shapeProblem(value: Mapping, source: Source): Problem | null {
  const { file } = source.at([]);
  const problem = (message: string, path: readonly string[] = []): Problem => ({
    message: `${file}: ${message}`,
    position: source.at(path),
  });
  if (value['kind'] === 'Kustomization' && String(value['apiVersion'] ?? 'kustomize').startsWith('kustomize')) {
    return problem(
      'this is a kustomization, not a manifest; name its directory in the input manifests, and it is rendered',
    );
  }
  for (const field of ['apiVersion', 'kind'] as const) {
    if (value[field] === undefined)
      return problem(`${field} is missing: this is no manifest of Kubernetes${guess(value)}`);
    if (typeof value[field] !== 'string' || value[field] === '')
      return problem(`${field} must be a text, not ${described(value[field])}`, [field]);
  }
  if (value['metadata'] !== undefined && !isMapping(value['metadata']))
    return problem(`metadata must be a mapping, not ${described(value['metadata'])}`, ['metadata']);
  return null;
}

function guess(value: Mapping): string {
  if (
    Object.keys(value).some((key) =>
      ['resources', 'bases', 'patches', 'patchesStrategicMerge', 'configMapGenerator'].includes(key),
    )
  ) {
    return '; it looks like a kustomization without its header';
  }
  if (value['op'] !== undefined && value['path'] !== undefined) return '; it looks like a JSON patch';
  return '; a values file or a patch cannot be applied by itself: render it first (helm template, kustomize build)';
}

function nameProblem(object: KubernetesObject, source: Source): Problem | null {
  const metadata = (object.metadata ?? {}) as Mapping;
  const title = `${source.at([]).file}: this ${object.kind}`;
  const name = metadata['name'];
  if (typeof name === 'string' && name !== '')
    return namespaceProblem(metadata, title, source) ?? illegalName(name, title, source);
  if (name !== undefined && name !== null && name !== '')
    return {
      message: `${title} has a name that is ${described(name)}; quote it`,
      position: source.at(['metadata', 'name']),
    };
  const generated = metadata['generateName'];
  const why =
    generated === undefined
      ? 'metadata.name is missing'
      : 'metadata.generateName makes another object at each run, which cannot be applied again or followed; give it a metadata.name';
  return { message: `${title}: ${why}`, position: source.at(['metadata']) };
}

function namespaceProblem(metadata: Mapping, title: string, source: Source): Problem | null {
  const namespace = metadata['namespace'];
  if (namespace === undefined || namespace === null || typeof namespace === 'string') return null;
  return {
    message: `${title} has a namespace that is ${described(namespace)}; quote it`,
    position: source.at(['metadata', 'namespace']),
  };
}

/** Only what could break a path or a line: the server knows the rules of each kind better. */
function illegalName(name: string, title: string, source: Source): Problem | null {
  if (!/[\s/%\p{Cc}]/u.test(name) && name !== '.' && name !== '..') return null;
  return {
    message: `${title} has the name ${JSON.stringify(name)}, which no object of Kubernetes can have`,
    position: source.at(['metadata', 'name']),
  };
}

function refused(message: string, position: SourcePosition): Checked {
  return { documents: [], problems: [{ message, position }] };
}

function described(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `the ${typeof value} ${JSON.stringify(value)?.slice(0, 60)}`;
}

/** The same object twice: the second would silently win. */
export function duplicates(documents: readonly ManifestDocument[]): readonly Problem[] {
  const first = new Map<string, ManifestDocument>();
  const problems: Problem[] = [];
  for (const document of documents) {
    const key = refKey(document.ref);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, document);
      continue;
    }
    const [here, there] = [document.source.at([]), earlier.source.at([])];
    const where = `${there.file}:${there.line}`;
    problems.push({
      message: `${here.file}: ${shortName(document.ref)} stands in the manifest twice, first at ${where}; remove one of them`,
      position: here,
    });
  }
  return problems;
}
