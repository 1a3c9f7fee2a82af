import type { KubernetesObject } from '../src/kubernetes.ts';
import { createStore } from '../src/rollout/store.ts';
import { type Judgement, judge, type Terms } from '../src/verdict.ts';
import { at, deployment, NOON, pod, replicaSet, running, targetOf, waiting } from '../test/situation.ts';
import { median } from './table.ts';

/** What one judgement of a large view costs: the median of twenty. */
export interface LargeView {
  readonly pods: number;
  readonly milliseconds: number;
}

/** Builds a view of `workloads` Deployments with `replicas` pods each, of which the last one waits for its image, and judges it. */
export function judgeLargeView(workloads: number, replicas: number): LargeView {
  const store = createStore();
  const take = (object: KubernetesObject) => store.take({ type: 'ADDED', object }, NOON + 1000);
  const targets = Array.from({ length: workloads }, (_, index) => {
    const own = named(deployment({ replicas }), `web-${index}`, `deployment-${index}`);
    const set = named(replicaSet(own), `web-${index}-1`, `set-${index}`, {
      kind: 'Deployment',
      uid: `deployment-${index}`,
    });
    take(own);
    take(set);
    for (let each = 0; each < replicas; each += 1) {
      const status = each === replicas - 1 ? waiting('ErrImagePull', 'manifest unknown') : running(true, 1);
      take(
        named(pod('x', { status }), `web-${index}-1-${each}`, `pod-${index}-${each}`, {
          kind: 'ReplicaSet',
          uid: `set-${index}`,
        }),
      );
    }
    return targetOf(own);
  });
  const terms: Terms = { patience: 1, stableForMs: 10_000, timeoutMs: null, startedAt: NOON, applied: [] };
  let judgement: Judgement | null = null;
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const began = performance.now();
    judgement = judge(targets, judgement, store.view, terms, NOON + 2000 + round * 1000);
    times.push(performance.now() - began);
  }
  return { pods: workloads * replicas, milliseconds: median(times) };
}

function named(
  object: KubernetesObject,
  name: string,
  uid: string,
  owner?: { readonly kind: string; readonly uid: string },
): KubernetesObject {
  const ownerReferences =
    owner === undefined ? [] : [{ apiVersion: 'apps/v1', name: 'owner', controller: true, ...owner }];
  return {
    ...structuredClone(object),
    metadata: { ...object.metadata, name, uid, ownerReferences, creationTimestamp: at(0) },
  };
}
