import { groupOf, type KubernetesObject } from '../kubernetes.ts';
import { LEDGER_MANAGER, STAMP } from './marks.ts';

/** Kinds whose objects run once, or hold data that no going back may touch. */
const APART: ReadonlySet<string> = new Set([
  '/Pod',
  '/PersistentVolumeClaim',
  'batch/Job',
  'coordination.k8s.io/Lease',
]);

/** Whether a state of the object can be gone back to: it lives in a namespace, stays, and holds no data. */
export function isKept({ apiVersion, kind, metadata }: KubernetesObject): boolean {
  return (metadata.namespace ?? '') !== '' && !APART.has(`${groupOf(apiVersion)}/${kind}`);
}

/** What is kept of an object: what was asked for and who owns it, but neither status, nor bookkeeping, nor what the gate itself noted on it. */
export function keptOf(object: KubernetesObject): KubernetesObject {
  const { status: _status, metadata, ...rest } = object;
  const {
    resourceVersion: _version,
    generation: _generation,
    annotations = {},
    managedFields = [],
    ...named
  } = metadata;
  const { [STAMP]: _stamp, ...own } = annotations;
  const owners = managedFields.filter(
    (entry) => (entry.subresource ?? '') !== 'status' && entry.manager !== LEDGER_MANAGER,
  );
  return { ...rest, metadata: { ...named, annotations: own, managedFields: owners } } as KubernetesObject;
}
