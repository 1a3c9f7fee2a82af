import type { Event, Pod } from '../kubernetes.ts';
import type { Look } from '../rollout/rollout.ts';
import { eventTimes } from '../rollout/time.ts';
import type { Lookup } from '../rollout/view.ts';
import type { Scene } from './scene.ts';

/** What can be known of something that adds nodes. */
export type Autoscaler =
  /** It said that it adds a node for this pod. */
  | { readonly state: 'scaling'; readonly message: string }
  /** It said that no node it could add would help, `count` times since `since`. */
  | { readonly state: 'refusing'; readonly message: string; readonly count: number; readonly since: number }
  /** There is one, and it has not spoken of this pod yet. */
  | { readonly state: 'present'; readonly message: string }
  | { readonly state: 'none' }
  /** The reads that would tell have not been answered yet. */
  | { readonly state: 'unread' };

/** Labels that Karpenter puts on every node it made (its v1 and v1beta1/v1alpha5 API). */
const KARPENTER_LABELS = ['karpenter.sh/nodepool', 'karpenter.sh/provisioner-name'] as const;

/** An autoscaler that speaks of the pod (TriggeredScaleUp, NotTriggerScaleUp, Nominated), or leaves its traces in the cluster. */
export function autoscalerFor(pod: Pod, scene: Scene): Autoscaler {
  const events = scene.view.events(pod.metadata?.uid ?? '');
  const scaling = last(events, ['TriggeredScaleUp', 'Nominated']);
  const refusing = last(events, ['NotTriggerScaleUp']);
  if (refusing !== null && (scaling === null || eventTimes(refusing).last > eventTimes(scaling).last)) {
    const times = eventTimes(refusing);
    return { state: 'refusing', message: refusing.message ?? '', count: times.count, since: times.first };
  }
  if (scaling !== null) return { state: 'scaling', message: scaling.message ?? '' };
  return autoscalerTraces(scene.look);
}

function last(events: readonly Event[], reasons: readonly string[]): Event | null {
  return events.filter((event) => reasons.includes(event.reason ?? '')).at(-1) ?? null;
}

/** The status that cluster-autoscaler keeps (its flag --status-config-map-name). */
export const AUTOSCALER_STATUS = {
  kind: 'exists',
  ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'cluster-autoscaler-status' },
} as const satisfies Lookup;

/** What an autoscaler leaves in the cluster, whatever it says of one pod. */
export function autoscalerTraces(look: Look): Autoscaler {
  const status = look(AUTOSCALER_STATUS);
  const nodes = look({ kind: 'nodes' });
  if (status.state === 'known' && status.value)
    return { state: 'present', message: 'ConfigMap kube-system/cluster-autoscaler-status exists' };
  if (nodes.state === 'known') {
    const label = KARPENTER_LABELS.find((each) =>
      nodes.value.some((node) => node.metadata?.labels?.[each] !== undefined),
    );
    if (label !== undefined) return { state: 'present', message: `nodes have the label ${label}` };
  }
  return status.state === 'unread' || nodes.state === 'unread' ? { state: 'unread' } : { state: 'none' };
}
