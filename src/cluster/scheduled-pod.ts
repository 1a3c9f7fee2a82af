import type { Container, KubernetesObject, Pod } from '../kubernetes.ts';

/** What a pod means for the room on its node, and nothing else of it: a cluster has thousands. */
export function scheduledPod(object: KubernetesObject): KubernetesObject {
  const { metadata, spec, status } = object as unknown as Pod;
  const { name, namespace, uid, ownerReferences, deletionTimestamp } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...present({ name, namespace, uid, ownerReferences, deletionTimestamp }) },
    spec: present({
      nodeName: spec?.nodeName,
      priority: spec?.priority,
      overhead: spec?.overhead,
      resources: spec?.resources,
      containers: (spec?.containers ?? []).map(needs),
      initContainers: spec?.initContainers?.map(needs),
    }),
    status: present({ phase: status?.phase }),
  };
}

function needs(container: Container): object {
  const { name, restartPolicy, resources, ports } = container;
  const hostPorts = ports?.filter((port) => port.hostPort !== undefined);
  return present({
    name,
    restartPolicy,
    resources:
      resources === undefined ? undefined : present({ requests: resources.requests, limits: resources.limits }),
    ports: hostPorts === undefined || hostPorts.length === 0 ? undefined : hostPorts,
  });
}

function present<T extends object>(fields: T): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
