/** How often a fault strikes, from 0 to 1, by a seeded sequence: the same seed makes the same faults for the same order of requests. */
export interface Faults {
  readonly seed: number;
  /** The connection is cut before the answer, or in the middle of a watch. */
  readonly drop?: number;
  /** A list's next page or a watch's version has expired: 410. */
  readonly expire?: number;
  /** 429 with Retry-After. */
  readonly throttle?: number;
  readonly throttleSeconds?: number;
  /** 503, as a load balancer says it. */
  readonly unavailable?: number;
  /** The answer comes late. */
  readonly slow?: number;
  readonly slowMs?: number;
  /** An event of a watch comes twice. */
  readonly duplicate?: number;
  /** A line of a watch is torn. */
  readonly tear?: number;
}

export type FaultKind = Exclude<keyof Faults, 'seed' | 'slowMs' | 'throttleSeconds'>;

export interface Dice {
  /** Whether a fault strikes now. */
  readonly strikes: (kind: FaultKind) => boolean;
  readonly struck: ReadonlyMap<FaultKind, number>;
}

export function createDice(faults: Faults | null): Dice {
  const random = mulberry32(faults?.seed ?? 0);
  const struck = new Map<FaultKind, number>();
  return {
    struck,
    strikes: (kind) => {
      const chance = faults?.[kind] ?? 0;
      if (chance === 0 || random() >= chance) return false;
      struck.set(kind, (struck.get(kind) ?? 0) + 1);
      return true;
    },
  };
}

/** A small generator of good quality; source: Tommy Ettinger, mulberry32, public domain. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
