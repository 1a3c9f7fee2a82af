import type { Check } from './scene.ts';
import { scaled, strategyOf } from './strategy.ts';
import { warning } from './warning.ts';
import { replicasOf, workloadsOf } from './workload.ts';

/**
 * Deployments whose maxSurge and maxUnavailable both come to 0 pods. The API refuses 0 with 0, but takes a percentage that is rounded down
 * to 0; the controller then takes maxUnavailable 1, so that every update takes down a pod more than the manifest says.
 * Source: pkg/apis/apps/validation, ValidateRollingUpdateDeployment; pkg/controller/deployment/util, ResolveFenceposts.
 */
export const withoutSurge: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => {
    if (workload.kind !== 'Deployment' || !workload.isMoving) return [];
    const strategy = strategyOf(workload);
    const replicas = replicasOf(workload);
    if (strategy.type !== 'RollingUpdate' || strategy.surge > 0 || replicas === 0) return [];
    const { unavailable, surge } = strategy.written;
    if (scaled(unavailable, replicas, Math.floor) > 0) return [];
    const left = replicas === 1 ? 'no pod serves' : `only ${replicas - 1} of ${replicas} pods serve`;
    return [
      warning(
        'UpdateWithoutSurge',
        workload.planned,
        ['spec', 'strategy', 'rollingUpdate', 'maxUnavailable'],
        `maxSurge ${surge} and maxUnavailable ${unavailable} of ${replicas} ${replicas === 1 ? 'replica' : 'replicas'} both come to 0 pods; Kubernetes then takes maxUnavailable 1, and ${left} during an update. Set maxSurge 1 to keep all of them, or maxUnavailable 1 to say so.`,
      ),
    ];
  });
