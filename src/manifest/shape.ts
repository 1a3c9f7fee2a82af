import type { FieldPath } from '../kubernetes.ts';
import type { Problem } from '../problem.ts';
import type { Source } from './document.ts';

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in words, for a sentence that says what was found instead of something else. */
export function described(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return `the ${typeof value} ${JSON.stringify(value).slice(0, 60)}`;
}

interface Flaw {
  readonly message: string;
  readonly path: FieldPath;
}

const API_VERSION = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[a-z0-9]+$/;
const KIND = /^[A-Za-z][A-Za-z0-9-]*$/;
/** What breaks a path or a line of text. What else a kind's names must be, the server knows better. */
const NOT_IN_NAMES = /[/%\p{C}\p{Zl}\p{Zp}]/u;
const LONGEST_NAME = 253;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** What keeps a mapping from being an object that can be applied and followed, each on its line. */
export function shapeProblems(value: Mapping, source: Source): readonly Problem[] {
  return flaws(value).map(({ message, path }) => ({
    message: `${source.file}: ${message}`,
    position: source.at(path),
  }));
}

function flaws(value: Mapping): readonly Flaw[] {
  const { apiVersion, kind } = value;
  if (isKustomization(value)) {
    const message =
      'this is a kustomization, not a manifest; name its directory in the input manifests, and it is rendered first';
    return [{ message, path: [] }];
  }
  const missing = ['apiVersion', 'kind'].filter((field) => (value[field] ?? '') === '');
  if (missing.length > 0) {
    const verb = missing.length > 1 ? 'are' : 'is';
    return [{ message: `${missing.join(' and ')} ${verb} missing: ${lookalike(value)}`, path: [] }];
  }
  const found: Flaw[] = [];
  if (typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion))
    found.push({ message: `${described(apiVersion)} is no apiVersion, such as apps/v1`, path: ['apiVersion'] });
  if (typeof kind !== 'string' || !KIND.test(kind))
    found.push({ message: `${described(kind)} is no kind, such as Deployment`, path: ['kind'] });
  return [...found, ...metadataFlaws(value['metadata'], typeof kind === 'string' ? `this ${kind}` : 'this object')];
}

function isKustomization(value: Mapping): boolean {
  const { apiVersion, kind } = value;
  if (kind !== 'Kustomization' && kind !== 'Component') return kind === undefined && hasAny(value, KUSTOMIZATION_KEYS);
  return apiVersion === undefined || String(apiVersion).startsWith('kustomize.config.k8s.io/');
}

const KUSTOMIZATION_KEYS: readonly string[] = [
  'resources',
  'bases',
  'patches',
  'patchesStrategicMerge',
  'patchesJson6902',
  'configMapGenerator',
  'secretGenerator',
];

function hasAny(value: Mapping, keys: readonly string[]): boolean {
  return keys.some((key) => Array.isArray(value[key]));
}

function lookalike(value: Mapping): string {
  if (isMapping(value['metadata']) || isMapping(value['spec']))
    return 'every object of Kubernetes names both; is this a patch of a kustomization? Then name the directory of the kustomization';
  if (typeof value['op'] === 'string' && typeof value['path'] === 'string')
    return 'this is a JSON patch; name the directory of the kustomization that uses it';
  return 'this is no manifest of Kubernetes but looks like a file of values; name the rendered manifests (helm template), or leave the file out';
}

function metadataFlaws(metadata: unknown, title: string): readonly Flaw[] {
  if (metadata !== undefined && metadata !== null && !isMapping(metadata))
    return [{ message: `${title} has ${described(metadata)} as metadata`, path: ['metadata'] }];
  const fields = metadata ?? {};
  return [
    ...nameFlaws(fields, title),
    ...namespaceFlaws(fields['namespace'], title),
    ...['labels', 'annotations'].flatMap((field) => textFlaws(fields[field], field, title)),
  ];
}

function nameFlaws(metadata: Mapping, title: string): readonly Flaw[] {
  const name = metadata['name'] ?? '';
  const path = ['metadata', 'name'];
  if (typeof name !== 'string') return [{ message: `${title} has ${described(name)} as its name; quote it`, path }];
  if (name !== '') {
    const legal = !NOT_IN_NAMES.test(name) && name !== '.' && name !== '..' && name.length <= LONGEST_NAME;
    if (legal) return [];
    return [{ message: `${title} has the name ${JSON.stringify(name).slice(0, 300)}, which no object can have`, path }];
  }
  if (metadata['generateName'] === undefined)
    return [{ message: `${title} has no name: metadata.name is missing`, path: ['metadata'] }];
  const why = 'the server would make another object at each run, which cannot be followed; give it a metadata.name';
  return [{ message: `${title} has only metadata.generateName: ${why}`, path: ['metadata', 'generateName'] }];
}

function namespaceFlaws(namespace: unknown, title: string): readonly Flaw[] {
  if (namespace === undefined || namespace === null || namespace === '') return [];
  if (typeof namespace === 'string' && NAMESPACE.test(namespace)) return [];
  const message = `${title} has ${described(namespace)} as its namespace; it takes at most 63 of a-z, 0-9 and -, as a text`;
  return [{ message, path: ['metadata', 'namespace'] }];
}

/** The server refuses these without saying where. */
function textFlaws(values: unknown, field: string, title: string): readonly Flaw[] {
  if (!isMapping(values)) return [];
  return Object.entries(values)
    .filter(([, value]) => typeof value !== 'string' && value !== null)
    .map(([key, value]) => ({
      message: `${title} has ${described(value)} in metadata.${field} for ${JSON.stringify(key)}, where only text may be; quote it`,
      path: ['metadata', field, key],
    }));
}
