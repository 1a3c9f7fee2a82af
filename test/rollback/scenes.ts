import type { Applied } from '../../src/apply/applied.ts';
import type { ApiResource } from '../../src/cluster/api.ts';
import { type KubernetesObject, refOf } from '../../src/kubernetes.ts';
import { diff } from '../../src/plan/diff.ts';
import type { Surveyed } from '../../src/rollback/plan.ts';

const SOURCE = { file: 'app.yaml', at: () => null } as unknown as Applied['source'];

/** A Deployment as a server would show it, ready unless told otherwise. */
export function deployment(image: string, ready = 2, replicas = 2): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', resourceVersion: '7', generation: 3 },
    spec: { replicas, template: { spec: { containers: [{ name: 'app', image }] } } },
    status: {
      observedGeneration: 3,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      conditions: [{ type: 'Available', status: 'True' }],
    },
  };
}

export function configMap(name: string, data: Readonly<Record<string, string>>): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '5' },
    data,
  };
}

export function applied(before: KubernetesObject | null, after: KubernetesObject): Applied {
  const changes = diff(before, after);
  const action = before === null ? 'created' : changes.length === 0 ? 'unchanged' : 'changed';
  return { ref: refOf(after), source: SOURCE, action, changes, before, after, appliedAt: 1_000 };
}

const PLURALS: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  ConfigMap: 'configmaps',
  Namespace: 'namespaces',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  Widget: 'widgets',
};

export function resourceOf({ apiVersion, kind }: KubernetesObject): ApiResource {
  return { apiVersion, kind, plural: PLURALS[kind] ?? 'things', namespaced: kind !== 'Namespace' };
}

/** An object of the run, live as our apply left it unless told otherwise. */
export function surveyed(of: Applied, seen: Partial<Surveyed> = {}): Surveyed {
  return {
    applied: of,
    resource: resourceOf(of.after),
    live: of.after,
    autoscaled: 'no',
    usedBy: '',
    proven: false,
    stays: '',
    ...seen,
  };
}
