import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, type ApiResource, resourcePath } from '../cluster/api.ts';
import { groupOf, type KubernetesObject, type Pod, refOf, type StatefulSet, shortName } from '../kubernetes.ts';
import { readLive } from '../plan/dry-run.ts';
import { REVISION_LABEL } from '../rollout/stateful-set.ts';

/** A pod of the failed revision that keeps a restored StatefulSet from bringing back the old one. */
export interface TrappedPod {
  readonly set: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const PODS: ApiResource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
/** A controller that would replace the pod by itself is given this long. */
const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 500;

/**
 * The pods that hold restored StatefulSets up. With OrderedReady the controller touches no pod as long as one is not ready: a pod of the failed
 * revision is never replaced, though the template is good again. Source: Kubernetes documentation, StatefulSet, "Forced rollback";
 * kubernetes#67250.
 *
 * @param restored the objects as the server returned them; all but StatefulSets are passed over
 */
export async function trappedPods(restored: readonly KubernetesObject[], api: Api): Promise<readonly TrappedPod[]> {
  const sets = restored.filter(canBeTrapped);
  const found = await Promise.all(sets.map((set) => trappedIn(set, api)));
  return found.flat();
}

/** @returns why the pod could not be deleted; empty if it is gone */
export async function release({ namespace, name, uid }: TrappedPod, api: Api): Promise<string> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } };
  const answer = await api.request({ method: 'DELETE', path: resourcePath(PODS, namespace, name), body });
  if (answer.ok || answer.status === 404) return '';
  return `Pod/${name} could not be deleted: ${answer.failure.message ?? answer.status}`;
}

/** What a person would do about it. */
export function releaseCommand({ namespace, name }: TrappedPod): string {
  return `kubectl delete pod ${name} -n ${namespace}`;
}

function canBeTrapped(object: KubernetesObject): boolean {
  if (object.kind !== 'StatefulSet' || groupOf(object.apiVersion) !== 'apps') return false;
  const { spec } = object as unknown as StatefulSet;
  return spec?.podManagementPolicy !== 'Parallel' && spec?.updateStrategy?.type !== 'OnDelete';
}

async function trappedIn(set: KubernetesObject, api: Api): Promise<readonly TrappedPod[]> {
  const until = api.now() + GRACE_MS;
  for (;;) {
    const trapped = await lookAt(set, api);
    if (trapped !== null && (trapped.length === 0 || api.now() >= until)) return trapped;
    if (api.now() >= until) return [];
    await sleep(LOOK_EVERY_MS);
  }
}

/** null: its controller has not yet looked at the restored template. */
async function lookAt(restored: KubernetesObject, api: Api): Promise<readonly TrappedPod[] | null> {
  const ref = refOf(restored);
  const resource = await api.resource(ref.apiVersion, ref.kind);
  const read = resource === null ? null : await readLive(api, resource, ref);
  if (read === null || 'failure' in read || read.object === null) return null;
  const { metadata, status } = read.object as unknown as StatefulSet;
  if ((status?.observedGeneration ?? 0) < (restored.metadata.generation ?? 0)) return null;
  const answer = await api.request({ method: 'GET', path: resourcePath(PODS, ref.namespace) });
  if (!answer.ok) return null;
  return (answer.body as { readonly items: readonly Pod[] }).items
    .filter((pod) => pod.metadata?.ownerReferences?.some((owner) => owner.uid === metadata?.uid) === true)
    .filter((pod) => pod.metadata?.labels?.[REVISION_LABEL] !== status?.updateRevision && isStuck(pod))
    .map(({ metadata: pod }) => ({
      set: shortName(ref),
      namespace: ref.namespace,
      name: pod?.name ?? '',
      uid: pod?.uid ?? '',
    }));
}

function isStuck({ metadata, status }: Pod): boolean {
  const ready = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
  return !ready && metadata?.deletionTimestamp === undefined;
}
