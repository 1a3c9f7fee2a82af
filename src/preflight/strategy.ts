import { fieldAt } from '../stall/scene.ts';
import type { Workload } from './workload.ts';
import { replicasOf } from './workload.ts';

/** How a Deployment replaces its pods, in numbers of pods. */
export type Strategy =
  | { readonly type: 'Recreate' }
  | {
      readonly type: 'RollingUpdate';
      readonly surge: number;
      readonly unavailable: number;
      /** As they are written, or as they are by default. */
      readonly written: { readonly surge: number | string; readonly unavailable: number | string };
    };

const DEFAULT = '25%';

/**
 * The strategy of a Deployment. maxSurge is rounded up, maxUnavailable down; where both come to 0, the controller takes maxUnavailable 1.
 * Source: pkg/controller/deployment/util, ResolveFenceposts; defaults: pkg/apis/apps/v1, SetDefaults_Deployment.
 */
export function strategyOf(workload: Workload): Strategy {
  const { document, live } = workload.planned;
  const found = (fieldAt(document.object, ['spec', 'strategy']) ?? fieldAt(live, ['spec', 'strategy']) ?? {}) as {
    readonly type?: string;
    readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string } | null;
  };
  if (found.type === 'Recreate') return { type: 'Recreate' };
  const replicas = replicasOf(workload);
  const written = {
    surge: found.rollingUpdate?.maxSurge ?? DEFAULT,
    unavailable: found.rollingUpdate?.maxUnavailable ?? DEFAULT,
  };
  const surge = scaled(written.surge, replicas, Math.ceil);
  const unavailable = Math.min(replicas, scaled(written.unavailable, replicas, Math.floor));
  return { type: 'RollingUpdate', surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable, written };
}

/** A number, or a percentage of the total. Source: apimachinery, intstr.GetScaledValueFromIntOrPercent. */
export function scaled(value: number | string, total: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = Number(/^(\d+)%$/.exec(value)?.[1] ?? Number.NaN);
  return Number.isNaN(percent) ? 0 : round((percent * total) / 100);
}
