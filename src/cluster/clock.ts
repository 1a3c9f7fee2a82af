/** A difference below this may be the resolution of the `Date` header (one second) and a slow answer: it is not corrected. */
const CLEAR_DIFFERENCE_MS = 2_000;

/** What is known of the server's clock: its lead over the local one lies between the two, in milliseconds. */
export interface ClockOffset {
  readonly least: number;
  readonly most: number;
}

/**
 * Narrows the offset by one more answer. A `Date` header names a whole second, and the server wrote it at some moment between
 * sending and receiving. An answer that contradicts the earlier ones (a clock was set) starts afresh.
 *
 * @param sentAt local time at which the request was sent, milliseconds since the epoch
 * @param receivedAt local time at which the answer's head arrived
 */
export function observeDate(
  offset: ClockOffset | null,
  date: string | undefined,
  sentAt: number,
  receivedAt: number,
): ClockOffset | null {
  const server = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(server)) return offset;
  const seen = { least: server - receivedAt, most: server + 1_000 - sentAt };
  if (offset === null) return seen;
  const both = { least: Math.max(offset.least, seen.least), most: Math.min(offset.most, seen.most) };
  return both.least > both.most ? seen : both;
}

/** The correction to add to the local clock, in milliseconds: none, unless the clocks clearly differ. */
export function correction(offset: ClockOffset | null): number {
  if (offset === null) return 0;
  const middle = Math.round((offset.least + offset.most) / 2);
  return offset.least > CLEAR_DIFFERENCE_MS || offset.most < -CLEAR_DIFFERENCE_MS ? middle : 0;
}
