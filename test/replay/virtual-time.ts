/** The time of a recording as it passes in a replay: milliseconds since the recording's beginning. */
export interface VirtualTime {
  readonly now: () => number;
  /** What had to happen at this moment has happened: time may pass it, and is at least there. */
  readonly open: (gate: number) => void;
  /** Real milliseconds until a moment; infinity as long as a gate before it is closed. */
  readonly until: (at: number) => number;
}

/**
 * Time stands still before each gate (a change that the recorded run made itself) until the run that is replayed has made it too, and jumps ahead
 * to the gate where the run was faster. So causes come before effects, however fast the program and the machine are.
 *
 * @param gates the moments, ascending
 * @param speed virtual per real milliseconds
 */
export function createVirtualTime(gates: readonly number[], speed: number): VirtualTime {
  const closed = [...gates];
  let base = Math.max(0, closed[0] ?? 0);
  let since = performance.now();
  const limit = () => closed[0] ?? Number.POSITIVE_INFINITY;
  const free = () => base + (performance.now() - since) * speed;
  const now = () => Math.min(free(), Math.max(limit(), 0));
  return {
    now,
    open: (gate) => {
      const reached = Math.max(now(), gate);
      const index = closed.indexOf(gate);
      if (index >= 0) closed.splice(index, 1);
      base = reached;
      since = performance.now();
    },
    until: (at) => (at > limit() ? Number.POSITIVE_INFINITY : Math.max(0, (at - now()) / speed)),
  };
}
