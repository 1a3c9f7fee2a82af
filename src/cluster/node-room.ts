import type { KubernetesObject, Node } from '../kubernetes.ts';

/** What rules look at of a node: most of it is the list of its images. */
export function nodeRoom(object: KubernetesObject): KubernetesObject {
  const node = object as unknown as Node;
  const { name, labels } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { ...(name === undefined ? {} : { name }), ...(labels === undefined ? {} : { labels }) },
    spec: { taints: node.spec?.taints ?? [], unschedulable: node.spec?.unschedulable ?? false },
    status: { allocatable: node.status?.allocatable ?? {}, conditions: node.status?.conditions ?? [] },
  };
}
