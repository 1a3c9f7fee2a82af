import { type Api, resourcePath } from '../cluster/api.ts';
import { type KubernetesObject, refKey, refOf, shortName } from '../kubernetes.ts';
import { readLive } from '../plan/dry-run.ts';
import { GateError } from '../problem.ts';
import type { Aimed, Turned } from './aim.ts';
import type { Surveyed } from './plan.ts';

/** Reads all that the decision needs. @throws GateError if an object of this run cannot be read */
export async function survey(all: readonly Aimed[], api: Api): Promise<readonly Surveyed[]> {
  const touched = all.filter((each) => each.applied.action !== 'unchanged');
  const turned = all.map((each) => each.applied);
  const read: Surveyed[] = [];
  for (const aimed of touched) {
    const { applied } = aimed;
    const resource = await api.resource(applied.ref.apiVersion, applied.ref.kind);
    if (resource === null) throw GateError.of(`${shortName(applied.ref)}: its kind is no longer served`);
    const answer = await readLive(api, resource, applied.ref);
    if ('failure' in answer)
      throw GateError.of(`${shortName(applied.ref)} could not be read: ${answer.failure.message ?? answer.status}`);
    const autoscaled = await isAutoscaled(applied, api);
    const usedBy = applied.before === null && resource.namespaced ? await usersOf(applied, turned, api) : '';
    read.push({ ...aimed, resource, live: answer.object, autoscaled, usedBy });
  }
  return read;
}

async function isAutoscaled({ ref, after }: Turned, api: Api): Promise<Surveyed['autoscaled']> {
  const spec = after['spec'] as { readonly replicas?: number } | undefined;
  if (spec?.replicas === undefined) return 'no';
  const scalers = await list(api, 'autoscaling/v2', 'HorizontalPodAutoscaler', ref.namespace);
  if (scalers === null) return 'unknown';
  const targets = scalers.map((each) => each['spec'] as { readonly scaleTargetRef?: { kind?: string; name?: string } });
  return targets.some(({ scaleTargetRef: to }) => to?.kind === ref.kind && to.name === ref.name) ? 'yes' : 'no';
}

/** What may name another object of its namespace. */
const USERS: readonly (readonly [string, string])[] = [
  ['v1', 'Pod'],
  ['v1', 'ServiceAccount'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'ReplicaSet'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['batch/v1', 'Job'],
  ['batch/v1', 'CronJob'],
  ['networking.k8s.io/v1', 'Ingress'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler'],
];

/** Whatever else has the object's name as a value, but what this run applied and what is owned by another: rather one too many than none. */
async function usersOf(applied: Turned, all: readonly Turned[], api: Api): Promise<string> {
  const ours = new Set(all.filter((each) => each.action !== 'unchanged').map((each) => refKey(each.ref)));
  const stays = all.find((each) => each.before !== null && names(each.before, applied.ref.name));
  if (stays !== undefined) return shortName(stays.ref);
  for (const [apiVersion, kind] of USERS) {
    const found = await list(api, apiVersion, kind, applied.ref.namespace);
    if (found === null) return `something that may not be read (${kind})`;
    const user = found
      .map((each): KubernetesObject => ({ ...each, apiVersion, kind }))
      .find(
        (each) =>
          !ours.has(refKey(refOf(each))) &&
          (each.metadata.ownerReferences ?? []).length === 0 &&
          names(each, applied.ref.name),
      );
    if (user !== undefined) return shortName(refOf(user));
  }
  return '';
}

function names(object: KubernetesObject, name: string): boolean {
  const { status: _status, metadata: _metadata, ...rest } = object;
  return has(rest, name);
}

function has(value: unknown, name: string): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some((inner) => has(inner, name));
  return value === name;
}

/** null: it may not be listed. */
async function list(api: Api, apiVersion: string, kind: string, namespace: string) {
  const resource = await api.resource(apiVersion, kind);
  if (resource === null) return [];
  const answer = await api.request({ method: 'GET', path: resourcePath(resource, namespace) });
  return answer.ok ? ((answer.body as { readonly items?: readonly KubernetesObject[] }).items ?? []) : null;
}
