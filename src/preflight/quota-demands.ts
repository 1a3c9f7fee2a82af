import { completed, defaultsIn } from './needs.ts';
import { countedBy, quotasIn } from './quotas.ts';
import type { Check } from './scene.ts';
import { warning } from './warning.ts';
import { containersOf, workloadsOf } from './workload.ts';

/** Resources of which a quota lets in no pod that does not say how much it needs. */
const DEMANDED: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

/**
 * Containers that say nothing of a resource which a quota counts, and to which no LimitRange gives a default: "must specify".
 * Source: pkg/quota/v1/evaluator/core, pods.go, Constraints.
 */
export const quotaDemands: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => {
    if (!workload.isMoving || workload.pod.resources != null || containersOf(workload).length === 0) return [];
    const defaults = defaultsIn(scene, workload.namespace);
    if (defaults === null) return [];
    const pod = completed(workload.pod, defaults);
    const full = [...(pod.initContainers ?? []), ...(pod.containers ?? [])];
    return quotasIn(scene, workload.namespace).flatMap(({ name: quota, hard }) => {
      const demanded = Object.keys(hard).filter((name) => DEMANDED.has(name));
      return containersOf(workload).flatMap(({ path, title }, index) => {
        const unset = demanded.filter((name) => {
          const counted = countedBy(name);
          return counted !== null && full[index]?.resources?.[counted.field]?.[counted.resource] === undefined;
        });
        if (unset.length === 0) return [];
        return [
          warning(
            'QuotaExceeded',
            workload.planned,
            [...path, 'resources'],
            `ResourceQuota "${quota}" lets in no pod that does not say how much it needs, and the ${title} does not say its ${unset.map(field).join(', ')}: no pod will be created. Set them under resources, or give the namespace a LimitRange with defaults.`,
          ),
        ];
      });
    });
  });

/** `cpu` of a quota is what a container calls `requests.cpu`. */
function field(name: string): string {
  return name.includes('.') ? name : `requests.${name}`;
}
