import type { KubernetesObject } from '../kubernetes.ts';
import { GateError } from '../problem.ts';
import type { Known, Lookup, LookupValues } from '../rollout/view.ts';
import { type ApiAnswer, type ApiResource, resourcePath } from './api.ts';
import type { Connection } from './connect.ts';
import { listAll } from './list.ts';
import { readLog } from './logs.ts';
import { nodeRoom } from './node-room.ts';
import { scheduledPod } from './scheduled-pod.ts';
import { arrived, rightTo, type Subscription } from './subscription.ts';

/** What came of a read: a value, or the right that is missing. Everything else is thrown. */
type Found<T> = { readonly value: T } | { readonly right: string };

const CORE = (kind: string, plural: string, namespaced = true): ApiResource => ({
  apiVersion: 'v1',
  kind,
  plural,
  namespaced,
});
const NODES = CORE('Node', 'nodes', false);
const PODS = CORE('Pod', 'pods');
const CONFIG_MAPS = CORE('ConfigMap', 'configmaps');
const AUTOSCALERS: ApiResource = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};
const BUDGETS: ApiResource = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

/** Metadata only: the server leaves everything else out, so that no Secret's value travels. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const HOLDS_A_PLACE = 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed';

/** Does the reads that rules ask for. Never rejects: what went wrong is part of the answer. */
export async function lookUp<L extends Lookup>(
  connection: Connection,
  lookup: L,
  logLines: number,
): Promise<Known<LookupValues[L['kind']]>> {
  try {
    const found = await find(connection, lookup, logLines);
    const at = connection.now();
    if ('right' in found) return { state: 'forbidden', right: found.right, at };
    // `find` answers each kind of lookup with the value of that kind, which the compiler cannot follow through the switch.
    return { state: 'known', value: found.value as LookupValues[L['kind']], at };
  } catch (error) {
    if (error instanceof GateError) return { state: 'failed', reason: error.message, at: connection.now() };
    throw error;
  }
}

function find(connection: Connection, lookup: Lookup, logLines: number): Promise<Found<unknown>> {
  switch (lookup.kind) {
    case 'nodes':
      return list(connection, { resource: NODES, namespace: '' }, nodeRoom);
    case 'scheduled-pods':
      return list(connection, { resource: PODS, namespace: '', fieldSelector: HOLDS_A_PLACE }, scheduledPod);
    case 'quotas':
      return list(connection, { resource: CORE('ResourceQuota', 'resourcequotas'), namespace: lookup.namespace });
    case 'has-pods':
      return hasPods(connection, lookup);
    case 'limit-ranges':
      return list(connection, { resource: CORE('LimitRange', 'limitranges'), namespace: lookup.namespace });
    case 'pod-autoscalers':
      return list(connection, { resource: AUTOSCALERS, namespace: lookup.namespace });
    case 'disruption-budgets':
      return list(connection, { resource: BUDGETS, namespace: lookup.namespace });
    case 'exists':
      return exists(connection, lookup);
    case 'config-map':
      return get(connection, CONFIG_MAPS, lookup.namespace, lookup.name);
    case 'object':
      return object(connection, lookup);
    case 'log':
      return log(connection, lookup, logLines);
  }
}

async function list<T>(
  connection: Connection,
  collection: Subscription,
  pick: (object: KubernetesObject) => KubernetesObject = (object) => object,
): Promise<Found<readonly T[]>> {
  const listed = await listAll(connection.transport, collection);
  if (listed.ok) return { value: listed.items.map((item) => pick(arrived(item, collection)) as unknown as T) };
  if (listed.status === 403) return { right: rightTo('list', collection.resource, collection.namespace) };
  // A server without the API has none of its objects.
  if (listed.status === 404) return { value: [] };
  throw refused(listed, rightTo('list', collection.resource, collection.namespace));
}

async function hasPods(
  connection: Connection,
  { namespace, labelSelector }: Extract<Lookup, { kind: 'has-pods' }>,
): Promise<Found<boolean>> {
  const query = { labelSelector, limit: '1' };
  const answer = await connection.transport.request({ method: 'GET', path: resourcePath(PODS, namespace), query });
  if (answer.ok)
    return { value: ((answer.body as { readonly items?: readonly unknown[] | null }).items ?? []).length > 0 };
  if (answer.status === 403) return { right: rightTo('list', PODS, namespace) };
  throw refused(answer, rightTo('list', PODS, namespace));
}

async function exists(connection: Connection, { ref }: Extract<Lookup, { kind: 'exists' }>): Promise<Found<boolean>> {
  const resource = await connection.resource(ref.apiVersion, ref.kind);
  if (resource === null) return { value: false };
  const path = resourcePath(resource, ref.namespace, ref.name);
  const answer = await connection.transport.request({ method: 'GET', path, accept: METADATA_ONLY });
  if (answer.ok) return { value: true };
  if (answer.status === 404) return { value: false };
  if (answer.status === 403) return { right: rightTo('get', resource, ref.namespace) };
  throw refused(answer, rightTo('get', resource, ref.namespace));
}

async function object(
  connection: Connection,
  { ref }: Extract<Lookup, { kind: 'object' }>,
): Promise<Found<KubernetesObject | null>> {
  if (ref.kind === 'Secret') throw GateError.of('The values of a Secret are never read.');
  const resource = await connection.resource(ref.apiVersion, ref.kind);
  return resource === null ? { value: null } : get(connection, resource, ref.namespace, ref.name);
}

async function get<T>(
  connection: Connection,
  resource: ApiResource,
  namespace: string,
  name: string,
): Promise<Found<T | null>> {
  const answer = await connection.transport.request({ method: 'GET', path: resourcePath(resource, namespace, name) });
  if (answer.ok) return { value: arrived(answer.body as KubernetesObject, { resource }) as unknown as T };
  if (answer.status === 404) return { value: null };
  if (answer.status === 403) return { right: rightTo('get', resource, namespace) };
  throw refused(answer, rightTo('get', resource, namespace));
}

async function log(
  connection: Connection,
  lookup: Extract<Lookup, { kind: 'log' }>,
  tailLines: number,
): Promise<Found<readonly string[]>> {
  const answer = await readLog(connection.transport, { ...lookup, tailLines });
  const right = `get pods/log in ${lookup.namespace}`;
  if (answer.ok) return { value: answer.lines };
  if (answer.status === 403) return { right };
  // The pod is gone, and its log with it.
  if (answer.status === 404) return { value: [] };
  throw refused(answer, right);
}

function refused(answer: Extract<ApiAnswer, { ok: false }>, what: string): GateError {
  return GateError.of(`${what}: ${answer.status} ${answer.failure.message ?? ''}`.trim());
}
