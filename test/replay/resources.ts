import type { ApiResource } from '../../src/cluster/api.ts';
import type { Recording } from '../../src/cluster/recording.ts';
import { groupOf } from '../../src/kubernetes.ts';

/** What a recording need not say, because every cluster has it. */
const BUILT_IN: readonly (readonly [string, string, string, boolean])[] = [
  ['v1', 'Pod', 'pods', true],
  ['v1', 'Event', 'events', true],
  ['v1', 'Node', 'nodes', false],
  ['v1', 'Namespace', 'namespaces', false],
  ['v1', 'ConfigMap', 'configmaps', true],
  ['v1', 'Secret', 'secrets', true],
  ['v1', 'Service', 'services', true],
  ['v1', 'ServiceAccount', 'serviceaccounts', true],
  ['v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', true],
  ['v1', 'ResourceQuota', 'resourcequotas', true],
  ['v1', 'LimitRange', 'limitranges', true],
  ['apps/v1', 'Deployment', 'deployments', true],
  ['apps/v1', 'ReplicaSet', 'replicasets', true],
  ['apps/v1', 'StatefulSet', 'statefulsets', true],
  ['apps/v1', 'DaemonSet', 'daemonsets', true],
  ['apps/v1', 'ControllerRevision', 'controllerrevisions', true],
  ['batch/v1', 'Job', 'jobs', true],
  ['batch/v1', 'CronJob', 'cronjobs', true],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', true],
  ['policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', true],
  ['storage.k8s.io/v1', 'StorageClass', 'storageclasses', false],
  ['scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', false],
  ['coordination.k8s.io/v1', 'Lease', 'leases', true],
];

/** What a path of the API names. `name` is empty for a collection. */
export interface Named {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The resources of a recorded cluster at a moment of the recording. */
export function resourcesAt(recording: Recording, at: number): readonly ApiResource[] {
  const known = new Map(
    BUILT_IN.map(([apiVersion, kind, plural, namespaced]) => [
      `${apiVersion}/${kind}`,
      { apiVersion, kind, plural, namespaced },
    ]),
  );
  for (const line of recording.lines) {
    if (!('resource' in line) || line.at > at) continue;
    const { apiVersion, kind, found } = line.resource;
    if (found === null) known.delete(`${apiVersion}/${kind}`);
    else known.set(`${apiVersion}/${kind}`, found);
  }
  return [...known.values()];
}

export function readPath(resources: readonly ApiResource[], path: string): Named | null {
  const match =
    /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))(?:\/namespaces\/([^/]+)(?=\/[^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
      path,
    );
  const apiVersion = match?.[1] ?? match?.[2];
  const resource = resources.find((one) => one.apiVersion === apiVersion && one.plural === match?.[4]);
  if (match === null || resource === undefined) return null;
  return {
    resource,
    namespace: decodeURIComponent(match[3] ?? ''),
    name: decodeURIComponent(match[5] ?? ''),
    subresource: match[6] ?? '',
  };
}

/** Aggregated discovery, for `/api` (the core group) or `/apis` (all others). */
export function discovery(resources: readonly ApiResource[], core: boolean): object {
  const versions = Map.groupBy(
    resources.filter((one) => (groupOf(one.apiVersion) === '') === core),
    (one) => one.apiVersion,
  );
  const items = [...versions].map(([apiVersion, all]) => ({
    metadata: core ? {} : { name: groupOf(apiVersion) },
    versions: [
      {
        version: apiVersion.slice(apiVersion.indexOf('/') + 1),
        freshness: 'Current',
        resources: all.map((one) => ({
          resource: one.plural,
          responseKind: {
            group: groupOf(apiVersion),
            version: apiVersion.slice(apiVersion.indexOf('/') + 1),
            kind: one.kind,
          },
          scope: one.namespaced ? 'Namespaced' : 'Cluster',
        })),
      },
    ],
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

/** The plain list of one version; null if the cluster has none of it. */
export function resourceList(resources: readonly ApiResource[], apiVersion: string): object | null {
  const all = resources.filter((one) => one.apiVersion === apiVersion);
  if (all.length === 0) return null;
  return {
    kind: 'APIResourceList',
    groupVersion: apiVersion,
    resources: all.map((one) => ({ name: one.plural, kind: one.kind, namespaced: one.namespaced })),
  };
}
