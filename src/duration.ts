const UNITS: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]);

/** Milliseconds of a duration such as `90s`, `10m`, `1h30m` or `0s`; null for what is none. A bare number is none: its unit would be a guess. */
export function parseDuration(text: string): number | null {
  if (!/^(\d+h)?(\d+m)?(\d+s)?$/.test(text) || text === '') return null;
  return [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS.get(unit ?? '') ?? 0),
    0,
  );
}
