import type { Api, ApiAnswer, ApiRequest, ApiResource } from '../../src/cluster/api.ts';
import type { KubernetesObject, Status } from '../../src/kubernetes.ts';
import type { Manifest, ManifestDocument } from '../../src/manifest/document.ts';
import { objectsOf } from '../../src/manifest/objects.ts';
import { parseYaml } from '../../src/manifest/yaml.ts';

const RESOURCES: readonly ApiResource[] = [
  ['v1', 'Namespace', 'namespaces', false],
  ['v1', 'ConfigMap', 'configmaps', true],
  ['v1', 'Secret', 'secrets', true],
  ['v1', 'Service', 'services', true],
  ['v1', 'ServiceAccount', 'serviceaccounts', true],
  ['v1', 'Pod', 'pods', true],
  ['apps/v1', 'Deployment', 'deployments', true],
  ['networking.k8s.io/v1', 'Ingress', 'ingresses', true],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', true],
  ['rbac.authorization.k8s.io/v1', 'Role', 'roles', true],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings', true],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', false],
].map(([apiVersion, kind, plural, namespaced]) => ({ apiVersion, kind, plural, namespaced }) as ApiResource);

/** A refusal as a server sends it. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly reason?: string;
  readonly details?: Status['details'];
}

export interface FakeServer {
  readonly api: Api;
  readonly requests: readonly ApiRequest[];
  /** The most requests that were under way at a time. */
  readonly busiest: () => number;
  readonly put: (object: KubernetesObject) => void;
  readonly get: (path: string) => KubernetesObject | undefined;
}

export interface FakeOptions {
  /** Asked before the server does anything itself; null: it takes the request. An error is thrown as a broken connection would be. */
  readonly refuse?: (request: ApiRequest) => Refusal | Error | null;
  readonly kinds?: readonly ApiResource[];
  /** How often a definition is read before it says that it is served. */
  readonly establishedAfter?: number;
}

/**
 * An API server in memory, for what plan and apply ask of one: it keeps what is applied, counts resourceVersion and generation, knows no
 * object in a namespace that is not there, serves a kind once its definition is Established, and answers 409 to a patch that was made from an
 * older resourceVersion. What a real server (Kubernetes 1.36.3) says of wrong documents is put in by `refuse`.
 */
export function fakeServer(options: FakeOptions = {}): FakeServer {
  const objects = new Map<string, KubernetesObject>();
  const requests: ApiRequest[] = [];
  const kinds = [...RESOURCES, ...(options.kinds ?? [])];
  let version = 100;
  let reads = 0;
  let underWay = 0;
  let busiest = 0;

  const server: FakeServer = {
    requests,
    busiest: () => busiest,
    get: (path) => objects.get(path),
    put: (object) => {
      const resource = kinds.find((each) => each.kind === object.kind && each.apiVersion === object.apiVersion);
      if (resource === undefined) throw new Error(`the fake server knows no ${object.kind}`);
      objects.set(pathOf(resource, object), stamped(object, null));
    },
    api: {
      server: 'https://kubernetes.example:6443',
      namespace: 'default',
      now: () => 1_000,
      resource: async (apiVersion, kind) =>
        kinds.find((each) => each.kind === kind && each.apiVersion === apiVersion) ?? served(apiVersion, kind),
      request: async (request) => {
        requests.push(request);
        underWay += 1;
        busiest = Math.max(busiest, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        const refusal = options.refuse?.(request) ?? null;
        if (refusal instanceof Error) throw refusal;
        return refusal === null ? answer(request) : refused(refusal);
      },
    },
  };
  server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  return server;

  function answer(request: ApiRequest): ApiAnswer {
    const live = objects.get(request.path);
    if (request.method === 'GET') return read(request.path, live);
    const namespace = /\/namespaces\/([^/]+)\//.exec(request.path)?.[1];
    if (namespace !== undefined && !objects.has(`/api/v1/namespaces/${namespace}`))
      return notFound('namespaces', namespace);
    if (request.contentType === 'application/json-patch+json') return adopt(request, live);
    const after = stamped(request.body as KubernetesObject, live ?? null);
    if (request.query?.['dryRun'] !== 'All') objects.set(request.path, after);
    return { ok: true, status: live === undefined ? 201 : 200, body: after };
  }

  function read(path: string, live: KubernetesObject | undefined): ApiAnswer {
    if (live === undefined) return notFound('objects', path.slice(path.lastIndexOf('/') + 1));
    if (live.kind !== 'CustomResourceDefinition') return { ok: true, status: 200, body: live };
    reads += 1;
    if (reads >= (options.establishedAfter ?? 1)) objects.set(path, { ...live, status: ESTABLISHED });
    return { ok: true, status: 200, body: objects.get(path) };
  }

  /** Only what an adoption sends: two replacements, the second a guard. */
  function adopt(request: ApiRequest, live: KubernetesObject | undefined): ApiAnswer {
    const [fields, guard] = request.body as readonly { readonly value: unknown }[];
    if (live === undefined) return notFound('objects', request.path);
    if (guard?.value !== live.metadata.resourceVersion)
      return refused({
        code: 409,
        reason: 'Conflict',
        message: 'the object has been modified; please apply your changes',
      });
    const managedFields = fields?.value as KubernetesObject['metadata']['managedFields'] & object;
    objects.set(request.path, stamped({ ...live, metadata: { ...live.metadata, managedFields } }, live));
    return { ok: true, status: 200, body: objects.get(request.path) };
  }

  function stamped(object: KubernetesObject, live: KubernetesObject | null): KubernetesObject {
    version += 1;
    const { status, ...wanted } = object;
    return {
      ...wanted,
      metadata: {
        ...(live === null ? { uid: `uid-${version}`, creationTimestamp: '2026-01-02T12:00:00Z' } : live.metadata),
        ...object.metadata,
        resourceVersion: `${version}`,
      },
      ...(status === undefined ? {} : { status }),
    };
  }

  function served(apiVersion: string, kind: string): ApiResource | null {
    const [group, name] = apiVersion.split('/');
    for (const { kind: own, spec, status } of objects.values() as Iterable<Definition>) {
      const isMeant = spec?.group === group && spec?.names.kind === kind && own === 'CustomResourceDefinition';
      if (isMeant && status !== undefined && spec.versions.some((each) => each.name === name))
        return { apiVersion, kind, plural: spec.names.plural, namespaced: spec.scope === 'Namespaced' };
    }
    return null;
  }
}

interface Definition {
  readonly kind: string;
  readonly spec?: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
  readonly status?: object;
}

const ESTABLISHED = {
  conditions: [
    { type: 'NamesAccepted', status: 'True' },
    { type: 'Established', status: 'True' },
  ],
};

function pathOf(resource: ApiResource, object: KubernetesObject): string {
  const root = resource.apiVersion === 'v1' ? '/api/v1' : `/apis/${resource.apiVersion}`;
  const scope = resource.namespaced ? `/namespaces/${object.metadata.namespace ?? 'shop'}` : '';
  return `${root}${scope}/${resource.plural}/${object.metadata.name}`;
}

function notFound(kind: string, name: string): ApiAnswer {
  return refused({ code: 404, reason: 'NotFound', message: `${kind} "${name}" not found`, details: { kind, name } });
}

export function refused(refusal: Refusal): Extract<ApiAnswer, { readonly ok: false }> {
  const failure = { apiVersion: 'v1', kind: 'Status', status: 'Failure', ...refusal } as Status;
  return { ok: false, status: refusal.code, failure };
}

/** Whether a request changes something: neither a read nor a dry run. */
export function isChange(request: ApiRequest): boolean {
  return request.method !== 'GET' && request.query?.['dryRun'] === undefined;
}

/** A manifest of one file called `app.yaml`. */
export function manifest(text: string): Manifest {
  const parsed = parseYaml({ file: 'app.yaml', text });
  const documents: ManifestDocument[] = [];
  for (const each of parsed.documents) {
    const checked = objectsOf(each);
    if (checked.problems[0] !== undefined) throw new Error(checked.problems[0].message);
    documents.push(...checked.documents);
  }
  return { documents, imageChanges: [] };
}
