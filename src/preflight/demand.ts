import type { PodSpec } from '../kubernetes.ts';
import { fieldAt } from '../stall/scene.ts';
import { completed, type Defaults, needOf } from './needs.ts';
import { scaled, strategyOf } from './strategy.ts';
import { livePodOf, replicasOf, type Workload } from './workload.ts';

/** The pods of a workload while it is updated, in the worst order, and afterwards. */
export interface Demand {
  readonly workload: Workload;
  /** Pods that it has now, of the old template. */
  readonly current: number;
  readonly replicas: number;
  readonly surge: number;
  /** No old pod leaves before a new one is there. */
  readonly needsSurge: boolean;
  /** What one pod needs, of the template that is asked for and of the one that is there. */
  readonly each: (field: 'requests' | 'limits', resource: string) => { readonly old: number; readonly new: number };
}

/** null where the number of pods is not known before the apply, or where the server itself checks the pod. */
export function demandOf(workload: Workload, defaults: Defaults): Demand | null {
  const scale = scaleOf(workload);
  if (scale === null) return null;
  const livePod = livePodOf(workload);
  const after = completed(workload.pod, defaults);
  const before: PodSpec = livePod === null ? after : completed(livePod, defaults);
  return {
    workload,
    ...scale,
    each: (field, resource) => ({
      old: needOf(before, field, resource),
      new: needOf(workload.isNewTemplate ? after : before, field, resource),
    }),
  };
}

type Scale = Pick<Demand, 'current' | 'replicas' | 'surge' | 'needsSurge'>;

function scaleOf(workload: Workload): Scale | null {
  const { live } = workload.planned;
  const number = (...path: readonly string[]) => fieldAt(live, path) as number | undefined;
  const without = { surge: 0, needsSurge: false };
  switch (workload.kind) {
    case 'Deployment':
      return {
        current: number('status', 'replicas') ?? 0,
        replicas: replicasOf(workload),
        ...deploymentSurge(workload),
      };
    case 'StatefulSet':
    case 'ReplicaSet':
      return { current: number('status', 'replicas') ?? 0, replicas: replicasOf(workload), ...without };
    case 'DaemonSet': {
      const wanted = number('status', 'desiredNumberScheduled');
      if (wanted === undefined) return null;
      return {
        current: number('status', 'currentNumberScheduled') ?? 0,
        replicas: wanted,
        ...daemonSurge(workload, wanted),
      };
    }
    case 'Job':
      return live === null ? { current: 0, replicas: parallelPods(workload), ...without } : null;
    case 'CronJob':
    case 'Pod':
      return null;
  }
}

function deploymentSurge(workload: Workload): Pick<Scale, 'surge' | 'needsSurge'> {
  const strategy = strategyOf(workload);
  if (!workload.isMoving || workload.planned.live === null || strategy.type === 'Recreate')
    return { surge: 0, needsSurge: false };
  return { surge: strategy.surge, needsSurge: strategy.unavailable === 0 };
}

/** Source: pkg/controller/daemon/util, SurgeCount: rounded up. */
function daemonSurge(workload: Workload, wanted: number): Pick<Scale, 'surge' | 'needsSurge'> {
  const { document, live } = workload.planned;
  const path = ['spec', 'updateStrategy', 'rollingUpdate', 'maxSurge'];
  const surge = (fieldAt(document.object, path) ?? fieldAt(live, path) ?? 0) as number | string;
  const pods = workload.isMoving ? scaled(surge, wanted, Math.ceil) : 0;
  return { surge: pods, needsSurge: pods > 0 };
}

function parallelPods({ planned }: Workload): number {
  const spec = (planned.document.object['spec'] ?? {}) as {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly suspend?: boolean;
  };
  if (spec.suspend === true) return 0;
  return Math.min(spec.parallelism ?? 1, spec.completions ?? Number.POSITIVE_INFINITY);
}

/** What a workload uses of a resource now, at the peak of its update, and afterwards. */
export interface Usage {
  readonly now: number;
  readonly peak: number;
  readonly final: number;
}

/**
 * At its start an update has all old pods and as many new ones as the surge allows; at its end all new pods and the surge's worth of old
 * ones. One of the two is the peak. Source: pkg/controller/deployment, NewRSNewReplicas.
 */
export function usageOf(
  { current, replicas, surge }: Demand,
  each: { readonly old: number; readonly new: number },
): Usage {
  const atStart = current * each.old + Math.min(replicas, Math.max(0, replicas + surge - current)) * each.new;
  const atEnd = replicas * each.new + Math.min(surge, current) * each.old;
  const final = replicas * each.new;
  return { now: current * each.old, peak: surge === 0 ? final : Math.max(atStart, atEnd), final };
}
