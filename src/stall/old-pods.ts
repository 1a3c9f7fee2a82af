import { timeOf } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import { NEVER } from './ripeness.ts';
import { type Family, podSpecPath } from './scene.ts';

/**
 * Old pods that should be gone by now and keep new ones from being created or placed (Recreate, StatefulSet, DaemonSet). A pod's
 * deletionTimestamp already includes its grace period (core/v1 ObjectMeta).
 */
export const oldPodsLinger: Family = (scene) =>
  scene.rollout.otherPods.flatMap((pod) => {
    const due = timeOf(pod.metadata?.deletionTimestamp);
    if (due === null || scene.now < due + 2000) return [];
    const name = pod.metadata?.name ?? '';
    const finalizers = pod.metadata?.finalizers ?? [];
    const over = `${Math.round((scene.now - due) / 1000)} s`;
    return [
      {
        code: 'OldPodsLinger' as const,
        certainty: 'waiting' as const,
        scope: 'cluster' as const,
        container: null,
        summary: `Old pod ${name} should have been gone ${over} ago${finalizers.length === 0 ? '' : `; the finalizers ${finalizers.join(', ')} hold it`}`,
        evidence: [
          { what: `pod ${name}`, value: `terminating, ${over} beyond its grace period` },
          ...(finalizers.length === 0 ? [] : [{ what: 'finalizers', value: finalizers.join(', ') }]),
        ],
        remedy: {
          text:
            finalizers.length === 0
              ? `See node ${pod.spec?.nodeName ?? ''}: it does not end the pod.`
              : 'See the controller that owns the finalizer.',
          path: [...podSpecPath(scene.target.ref.kind), 'terminationGracePeriodSeconds'],
          value: null,
        },
        falsifier: 'The pod is gone.',
        ripeness: NEVER,
        depth: DEPTH.linger,
        pods: [name],
      },
    ];
  });
