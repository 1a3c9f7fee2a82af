import { groupOf, type KubernetesObject, type ObjectRef, refKey, shortName } from '../kubernetes.ts';

/** For how long fewer replicas than asked for were available. */
export interface Shortfall {
  readonly workload: string;
  readonly namespace: string;
  readonly seconds: number;
  /** The fewest that were available, and how many were asked for then. */
  readonly lowest: number;
  readonly asked: number;
}

/** Adds up, over one or more waits, the times during which a workload had fewer available replicas than asked for. */
export interface ShortfallMeter {
  /** @param now milliseconds since the epoch by the server's clock */
  readonly take: (refs: readonly ObjectRef[], live: (ref: ObjectRef) => KubernetesObject | null, now: number) => void;
  readonly result: () => readonly Shortfall[];
}

interface Account {
  readonly ref: ObjectRef;
  milliseconds: number;
  shortSince: number | null;
  lowest: number;
  asked: number;
}

export function createShortfallMeter(): ShortfallMeter {
  const accounts = new Map<string, Account>();
  let last = 0;

  function note(account: Account, available: number, asked: number, now: number): void {
    if (account.shortSince !== null) account.milliseconds += now - account.shortSince;
    account.shortSince = available < asked ? now : null;
    if (available >= asked || asked - available <= account.asked - account.lowest) return;
    account.lowest = available;
    account.asked = asked;
  }

  return {
    take: (refs, live, now) => {
      last = Math.max(last, now);
      for (const ref of refs) {
        const object = live(ref);
        const counts = object === null ? null : countsOf(object);
        if (counts === null) continue;
        const key = refKey(ref);
        const account = accounts.get(key) ?? { ref, milliseconds: 0, shortSince: null, lowest: 0, asked: 0 };
        accounts.set(key, account);
        note(account, counts.available, counts.asked, last);
      }
    },
    result: () =>
      [...accounts.values()]
        .filter((each) => each.milliseconds > 0)
        .map(({ ref, milliseconds, lowest, asked }) => ({
          workload: shortName(ref),
          namespace: ref.namespace,
          seconds: Math.round(milliseconds / 100) / 10,
          lowest,
          asked,
        })),
  };
}

/** All available replicas, of whatever revision; null for a kind that has none. */
function countsOf(object: KubernetesObject): { readonly available: number; readonly asked: number } | null {
  const spec = (object['spec'] ?? {}) as { readonly replicas?: number };
  const status = (object['status'] ?? {}) as {
    readonly availableReplicas?: number;
    readonly numberAvailable?: number;
    readonly desiredNumberScheduled?: number;
  };
  if (groupOf(object.apiVersion) !== 'apps') return null;
  if (object.kind === 'DaemonSet')
    return { available: status.numberAvailable ?? 0, asked: status.desiredNumberScheduled ?? 0 };
  return { available: status.availableReplicas ?? 0, asked: spec.replicas ?? 1 };
}
