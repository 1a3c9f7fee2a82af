/** The values that must never leave: collected while the run learns of them, asked for by everything that writes. */
export interface Secrets {
  readonly add: (value: string) => void;
  /** Longest first, so that a value which contains another is taken out whole. */
  readonly values: () => readonly string[];
}

/** Shorter values would take ordinary words out of every text, and hide nothing that could be guessed. */
const SHORTEST = 6;

/** @param onSecret told of each value once, so that the runner can mask it as well */
export function createSecrets(onSecret: (value: string) => void): Secrets {
  const known = new Set<string>();
  return {
    add: (value) => {
      for (const line of [value, ...value.split('\n')].map((each) => each.trim())) {
        if (line.length < SHORTEST || known.has(line)) continue;
        known.add(line);
        onSecret(line);
      }
    },
    values: () => [...known].sort((a, b) => b.length - a.length),
  };
}
