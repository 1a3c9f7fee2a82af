import { type KubernetesObject, shortName } from '../kubernetes.ts';
import type { WorkloadSelector } from '../options.ts';
import { GateError } from '../problem.ts';
import { type Api, resourcePath } from './api.ts';

/** The kinds that `mode: watch` can follow, by every name that kubectl knows for them. */
const KINDS: readonly { readonly apiVersion: string; readonly kind: string; readonly names: readonly string[] }[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    names: ['deployment', 'deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    names: ['statefulset', 'statefulsets', 'sts', 'statefulset.apps', 'statefulsets.apps'],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    names: ['daemonset', 'daemonsets', 'ds', 'daemonset.apps', 'daemonsets.apps'],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    names: ['replicaset', 'replicasets', 'rs', 'replicaset.apps', 'replicasets.apps'],
  },
  { apiVersion: 'batch/v1', kind: 'Job', names: ['job', 'jobs', 'job.batch', 'jobs.batch'] },
  { apiVersion: 'v1', kind: 'Pod', names: ['pod', 'pods', 'po'] },
];

/** Kinds that a label selector picks: those that people roll out. */
const SELECTED: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

/**
 * The live objects that `mode: watch` is to follow, in the order of the input, none twice.
 *
 * @throws GateError naming each entry that picks nothing
 */
export async function findWorkloads(
  api: Api,
  selectors: readonly WorkloadSelector[],
  namespace: string,
): Promise<readonly KubernetesObject[]> {
  const found: KubernetesObject[] = [];
  const problems: string[] = [];
  for (const selector of selectors) {
    const objects =
      selector.kind === 'name'
        ? await byName(api, selector, namespace)
        : await byLabels(api, selector.labels, namespace);
    if (typeof objects === 'string') problems.push(objects);
    else found.push(...objects);
  }
  if (problems.length > 0) throw new GateError(problems.map((message) => ({ message, position: null })));
  return [...new Map(found.map((object) => [object.metadata.uid, object])).values()];
}

async function byName(
  api: Api,
  selector: Extract<WorkloadSelector, { kind: 'name' }>,
  namespace: string,
): Promise<readonly KubernetesObject[] | string> {
  const entry = `${selector.resource}/${selector.name}`;
  const kind = KINDS.find((each) => each.names.includes(selector.resource.toLowerCase()));
  if (kind === undefined)
    return `workloads: "${entry}" names no kind that can be followed; use ${KINDS.map((each) => each.names[0]).join(', ')}`;
  const resource = await api.resource(kind.apiVersion, kind.kind);
  if (resource === null) return `workloads: the server at ${api.server} does not serve ${kind.apiVersion} ${kind.kind}`;
  const answer = await api.request({ method: 'GET', path: resourcePath(resource, namespace, selector.name) });
  if (answer.ok) return [{ ...(answer.body as KubernetesObject), apiVersion: kind.apiVersion, kind: kind.kind }];
  const said = answer.failure.message ?? `status ${answer.status}`;
  return `workloads: ${shortName({ kind: kind.kind, name: selector.name })} in namespace ${namespace} cannot be read: ${said}`;
}

async function byLabels(api: Api, labels: string, namespace: string): Promise<readonly KubernetesObject[] | string> {
  const found: KubernetesObject[] = [];
  for (const kind of KINDS.filter((each) => SELECTED.includes(each.kind))) {
    const resource = await api.resource(kind.apiVersion, kind.kind);
    if (resource === null) continue;
    const answer = await api.request({
      method: 'GET',
      path: resourcePath(resource, namespace),
      query: { labelSelector: labels },
    });
    if (!answer.ok)
      return `workloads: -l ${labels}: ${resource.plural} in namespace ${namespace} cannot be listed: ${answer.failure.message ?? `status ${answer.status}`}`;
    const { items } = answer.body as { readonly items: readonly KubernetesObject[] };
    found.push(...items.map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind })));
  }
  if (found.length > 0) return found;
  return `workloads: -l ${labels} picks no ${SELECTED.join(', ')} in namespace ${namespace}`;
}
