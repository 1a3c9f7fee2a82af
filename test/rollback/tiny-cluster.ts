import { isDeepStrictEqual } from 'node:util';
import type { Applied } from '../../src/apply/applied.ts';
import type { Api, ApiAnswer, ApiRequest } from '../../src/cluster/api.ts';
import { type KubernetesObject, type ManagedFieldsEntry, refOf } from '../../src/kubernetes.ts';
import { diff } from '../../src/plan/diff.ts';
import type { PatchOperation } from '../../src/rollback/patches.ts';

type Tree = Record<string, unknown>;

const KINDS: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  deployments: 'Deployment',
  secrets: 'Secret',
};
const NAMESPACE = 'shop';
const SOURCE = { file: 'app.yaml', at: () => null } as unknown as Applied['source'];

/** Thrown where the run is to die: it is no error that anything may handle. */
export class Killed extends Error {}

/**
 * As much of an API server as a rollback talks to: objects with uid, resourceVersion and owners of their fields, JSON patches, preconditions and
 * dry runs. A Deployment is ready as soon as its image begins with `good`.
 */
export function createTinyCluster() {
  const objects = new Map<string, KubernetesObject>();
  let clock = 0;
  let uids = 0;
  let lifeLeft = Number.POSITIVE_INFINITY;
  let untilLoss = Number.POSITIVE_INFINITY;

  const now = () => Date.UTC(2026, 0, 1) + clock * 1000;
  const tick = () => {
    clock += 1;
    return new Date(now()).toISOString().replace('.000', '');
  };
  const nextUid = () => {
    uids += 1;
    return `uid-${uids}`;
  };

  function put(key: string, object: KubernetesObject, owner: ManagedFieldsEntry | null): KubernetesObject {
    const { metadata } = object;
    const stored = withStatus({
      ...object,
      metadata: {
        ...metadata,
        uid: metadata.uid ?? nextUid(),
        creationTimestamp: metadata.creationTimestamp ?? (tick() as never),
        namespace: NAMESPACE,
        resourceVersion: tick(),
        managedFields: owner === null ? (metadata.managedFields ?? []) : ownedBy(metadata.managedFields ?? [], owner),
      },
    });
    objects.set(key, stored);
    return stored;
  }

  /** What a server does to an object when a manager sends the wanted state of some of its fields. */
  function write(manager: string, operation: string, wanted: KubernetesObject, replace: boolean): KubernetesObject {
    const key = keyOf(wanted);
    const live = objects.get(key);
    const merged =
      live === undefined || replace
        ? { ...wanted, metadata: { ...live?.metadata, ...wanted.metadata } }
        : (merge(live, wanted) as KubernetesObject);
    if (live !== undefined && isDeepStrictEqual(asked(live), asked(merged))) return live;
    return put(key, merged, { manager, operation, time: tick(), fieldsV1: {} });
  }

  function answer(request: ApiRequest): ApiAnswer {
    const [plural = '', name = ''] = request.path.split(`/namespaces/${NAMESPACE}/`)[1]?.split('/') ?? [];
    const key = `${KINDS[plural] ?? plural}/${name}`;
    const live = objects.get(key);
    const dry = request.query?.['dryRun'] !== undefined;
    if (request.method === 'GET' && name === '')
      return ok({ items: [...objects].filter(([each]) => each.startsWith(key)).map(([, object]) => object) });
    if (request.method === 'POST') {
      const body = request.body as KubernetesObject;
      const made = keyOf(body);
      return objects.has(made) ? failure(409, 'already exists') : ok(put(made, body, null));
    }
    if (live === undefined) return failure(404, 'not found');
    if (request.method === 'GET') return ok(live);
    if (request.method === 'DELETE') return remove(key, live, request.body as never, dry);
    if (request.method === 'PUT') {
      const body = request.body as KubernetesObject;
      return body.metadata.resourceVersion === live.metadata.resourceVersion
        ? ok(put(key, body, null))
        : failure(409, 'modified');
    }
    if (request.contentType === 'application/apply-patch+yaml')
      return ok(write(request.query?.['fieldManager'] ?? '', 'Apply', request.body as KubernetesObject, false));
    return patch(key, live, request, dry);
  }

  function remove(
    key: string,
    live: KubernetesObject,
    { preconditions }: { readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } },
    dry: boolean,
  ): ApiAnswer {
    const { uid, resourceVersion } = live.metadata;
    if ((preconditions?.uid ?? uid) !== uid || (preconditions?.resourceVersion ?? resourceVersion) !== resourceVersion)
      return failure(409, 'the object has been modified');
    if (!dry) objects.delete(key);
    return ok({});
  }

  function patch(key: string, live: KubernetesObject, request: ApiRequest, dry: boolean): ApiAnswer {
    const next = structuredClone(live) as unknown as Tree;
    for (const operation of request.body as readonly PatchOperation[])
      if (!take(next, operation)) return failure(422, `cannot ${operation.op} ${operation.path}`);
    const patched = next as unknown as KubernetesObject;
    if (patched.metadata.resourceVersion !== live.metadata.resourceVersion)
      return failure(409, 'the object has been modified');
    if (dry) return ok(patched);
    const changed = !isDeepStrictEqual(asked(live), asked(patched));
    const manager = request.query?.['fieldManager'] ?? 'unknown';
    return ok(put(key, patched, changed ? { manager, operation: 'Update', time: tick(), fieldsV1: {} } : null));
  }

  const api: Api = {
    server: 'https://cluster.example:6443',
    namespace: NAMESPACE,
    now,
    resource: async (apiVersion, kind) => {
      const plural = Object.entries(KINDS).find(([, each]) => each === kind)?.[0] ?? `${kind.toLowerCase()}s`;
      return { apiVersion, kind, plural, namespaced: true };
    },
    request: async (request) => {
      // A process can die before its request arrives, or before the answer does.
      lifeLeft -= 1;
      if (lifeLeft === 0) throw new Killed();
      const given = structuredClone(answer(request));
      if (request.method !== 'GET') untilLoss -= 1;
      if (untilLoss === 0 && request.method !== 'GET') return structuredClone(answer(request));
      lifeLeft -= 1;
      if (lifeLeft === 0) throw new Killed();
      return given;
    },
  };

  return {
    api,
    objects: objects as ReadonlyMap<string, KubernetesObject>,
    /** The run dies at the n-th of its moments; 0: it lives. */
    killAt: (n: number) => {
      lifeLeft = n === 0 ? Number.POSITIVE_INFINITY : n;
    },
    /** The answer to the n-th request that may change something is lost, and the request sent again; 0: none is. */
    loseAnswer: (n: number) => {
      untilLoss = n === 0 ? Number.POSITIVE_INFINITY : n;
    },
    /** What the gate's apply of the manifest comes to. */
    apply: (manifest: readonly KubernetesObject[], manager: string): readonly Applied[] =>
      manifest.map((document) => {
        const before = structuredClone(objects.get(keyOf(document))) ?? null;
        const after = structuredClone(write(manager, 'Apply', document, false));
        const changes = diff(before, after);
        const action = before === null ? 'created' : changes.length === 0 ? 'unchanged' : 'changed';
        return { ref: refOf(after), source: SOURCE, action, changes, before, after, appliedAt: 0 };
      }),
    /** What somebody else does to an object. */
    edit: (key: string, change: Tree, manager = 'kubectl-edit') => {
      const live = objects.get(key);
      if (live !== undefined) write(manager, 'Update', merge(live, change) as KubernetesObject, true);
    },
    isReady: () => [...objects.values()].every((object) => object.kind !== 'Deployment' || isGood(object)),
  };
}

export type TinyCluster = ReturnType<typeof createTinyCluster>;

export function keyOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}

/** What is asked for of an object, without bookkeeping. */
export function asked({ kind, metadata, data, spec }: KubernetesObject): unknown {
  return { kind, name: metadata.name, annotations: metadata.annotations ?? {}, data, spec };
}

function imageOf(object: KubernetesObject): string {
  const spec = object['spec'] as { readonly template: { readonly image: string } };
  return spec.template.image;
}

function isGood(object: KubernetesObject): boolean {
  return imageOf(object).startsWith('good');
}

function withStatus(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Deployment') return object;
  const ready = isGood(object) ? 1 : 0;
  const conditions = [{ type: 'Available', status: ready === 1 ? 'True' : 'False' }];
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: ready, availableReplicas: ready };
  return { ...object, status: { ...counts, conditions } };
}

function ownedBy(entries: readonly ManagedFieldsEntry[], owner: ManagedFieldsEntry): readonly ManagedFieldsEntry[] {
  const others = entries.filter((each) => each.manager !== owner.manager || each.operation !== owner.operation);
  return [...others, owner];
}

function merge(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over;
  const merged: Tree = { ...base };
  for (const [name, value] of Object.entries(over)) merged[name] = merge(base[name], value);
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function take(root: Tree, { op, path, value }: PatchOperation): boolean {
  const steps = path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop() ?? '';
  const parent = steps.reduce<unknown>((node, step) => (isTree(node) ? node[step] : undefined), root);
  if (!isTree(parent)) return false;
  if (op === 'test') return isDeepStrictEqual(parent[last], value);
  if (op !== 'add' && !(last in parent)) return false;
  if (op === 'remove') delete parent[last];
  else parent[last] = structuredClone(value);
  return true;
}

function ok(body: unknown): ApiAnswer {
  return { ok: true, status: 200, body };
}

function failure(code: number, message: string): ApiAnswer {
  return { ok: false, status: code, failure: { code, message } };
}
