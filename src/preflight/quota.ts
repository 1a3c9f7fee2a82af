import { shortName } from '../kubernetes.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import { type Demand, demandOf, type Usage, usageOf } from './demand.ts';
import { defaultsIn } from './needs.ts';
import { type Counted, countedBy, type Quota, quotasIn } from './quotas.ts';
import type { Check, PreflightScene } from './scene.ts';
import { type Warning, warning } from './warning.ts';
import { workloadsOf } from './workload.ts';

/**
 * Updates that a ResourceQuota of the namespace has no room for, the surge included: pods count while they are there, old ones as well as
 * new ones. Source: plugin/pkg/admission/resourcequota; `surge` as in `demand.ts`.
 */
export const quota: Check = (scene) => {
  const namespaces = Map.groupBy(workloadsOf(scene), (workload) => workload.namespace);
  return [...namespaces].flatMap(([namespace, workloads]) => {
    const moving = workloads.filter((workload) => workload.isMoving || isScaled(workload.planned));
    if (moving.length === 0) return [];
    return checkNamespace(scene, namespace, moving);
  });
};

function isScaled({ changes }: { readonly changes: readonly { readonly path: string }[] }): boolean {
  return changes.some(({ path }) => path === 'spec.replicas');
}

function checkNamespace(
  scene: PreflightScene,
  namespace: string,
  workloads: ReturnType<typeof workloadsOf>,
): readonly Warning[] {
  const defaults = defaultsIn(scene, namespace) ?? { requests: {}, limits: {} };
  const demands = workloads.flatMap((workload) => demandOf(workload, defaults) ?? []);
  return quotasIn(scene, namespace).flatMap((each) =>
    Object.keys(each.hard).flatMap((name) => {
      const counted = countedBy(name);
      return counted === null ? [] : checkResource(each, counted, demands);
    }),
  );
}

interface Case {
  readonly demand: Demand;
  readonly usage: Usage;
  readonly one: number;
}

function checkResource(quota: Quota, counted: Counted, demands: readonly Demand[]): readonly Warning[] {
  const hard = parseQuantity(quota.hard[counted.name]);
  const used = parseQuantity(quota.used[counted.name]);
  const cases = demands.map((demand): Case => {
    const each = demand.each(counted.field, counted.resource);
    return { demand, usage: usageOf(demand, each), one: each.new };
  });
  const tooMuch = (value: number) => value > hard * (1 + 1e-9);
  const base = ({ usage }: Case) => Math.max(0, used - usage.now);
  const never = cases.filter((each) => growth(each) > 0 && tooMuch(base(each) + each.usage.final));
  const surging = cases.filter(
    (each) => !never.includes(each) && each.one > 0 && tooMuch(base(each) + each.usage.peak),
  );
  const grown = cases.reduce((sum, each) => sum + growth(each), 0);
  const largest = cases.reduce<Case | null>((a, b) => (a === null || growth(b) > growth(a) ? b : a), null);
  const together = never.length === 0 && largest !== null && cases.length > 1 && grown > 0 && tooMuch(used + grown);
  const room = { quota: quota.name, name: counted.name, hard, used };
  return [
    ...never.map((each) => neverFits(each, base(each), room)),
    ...surging.map((each) =>
      noRoomForSurge(
        each,
        base(each),
        room,
        each.demand.needsSurge && tooMuch(Math.max(used, each.usage.now) + each.one),
      ),
    ),
    ...(together ? [notTogether(largest, cases, used + grown, room)] : []),
  ];
}

function growth({ usage }: Case): number {
  return usage.final - usage.now;
}

interface Room {
  readonly quota: string;
  readonly name: string;
  readonly hard: number;
  readonly used: number;
}

/** `5 pods`, `1.5 of requests.cpu` */
function amount(value: number, { name }: Room): string {
  return name.endsWith('pods') ? `${value} pods` : `${formatQuantity(name, value)} of ${name}`;
}

function plain(value: number, { name }: Room): string {
  return formatQuantity(name, value);
}

function neverFits({ demand, usage, one }: Case, others: number, room: Room): Warning {
  const rest = others > 0 ? `, others use ${plain(others, room)}` : '';
  const { planned } = demand.workload;
  return warning(
    'QuotaExceeded',
    planned,
    demand.workload.kind === 'Job' ? ['spec', 'parallelism'] : ['spec', 'replicas'],
    `ResourceQuota "${room.quota}" has no room for ${demand.replicas} ${demand.replicas === 1 ? 'pod' : 'pods'}, even with the old ones gone: they need ${amount(usage.final, room)} (${plain(one, room)} each)${rest}, and ${plain(room.hard, room)} is the limit. Raise the quota, lower what a pod asks for, or ask for fewer replicas.`,
  );
}

function noRoomForSurge({ demand, usage, one }: Case, others: number, room: Room, stuck: boolean): Warning {
  const numbers = `at its peak the update needs ${amount(others + usage.peak, room)} (${demand.current} old and ${demand.surge} more by maxSurge, ${plain(one, room)} for a new pod), ${plain(room.used, room)} of ${plain(room.hard, room)} are used`;
  const effect = stuck
    ? 'With maxUnavailable 0 no old pod leaves before a new one is ready, and none can be created: the update cannot begin'
    : 'The quota refuses some of the new pods until old ones have left, so the update is slower than it says';
  const { planned, kind } = demand.workload;
  return warning(
    'QuotaExceeded',
    planned,
    kind === 'DaemonSet' ? ['spec', 'updateStrategy'] : ['spec', 'strategy'],
    `ResourceQuota "${room.quota}" has no room for the surge: ${numbers}. ${effect}. Set maxSurge 0 with maxUnavailable 1, or raise the quota.`,
  );
}

function notTogether(largest: Case, cases: readonly Case[], needed: number, room: Room): Warning {
  const names = cases.filter((each) => growth(each) > 0).map(({ demand }) => shortName(demand.workload.planned.ref));
  return warning(
    'QuotaExceeded',
    largest.demand.workload.planned,
    ['spec', 'replicas'],
    `ResourceQuota "${room.quota}" has room for each, but not for all of ${names.join(', ')}: together with what is there they need ${amount(needed, room)}, and ${plain(room.hard, room)} is the limit. Raise the quota, or ask for less.`,
  );
}
