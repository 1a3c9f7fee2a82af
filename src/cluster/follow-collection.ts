import { GateError } from '../problem.ts';
import type { ObjectChange } from './api.ts';
import { createHolding } from './holding.ts';
import { listAll } from './list.ts';
import { wait } from './retry.ts';
import { arrived, rightTo, type Subscription } from './subscription.ts';
import type { Transport } from './transport.ts';
import { type WatchEnd, type WatchEvent, watchOnce } from './watch.ts';

/** Times in milliseconds but for `watchSeconds`; each is varied by up to a quarter, so that many watches do not move in step. */
export interface FeedTimes {
  readonly watchSeconds: number;
  readonly silenceMs: number;
  /** Between two lists, where a watch is not allowed. */
  readonly pollMs: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

export const FEED_TIMES: FeedTimes = {
  watchSeconds: 290,
  silenceMs: 100_000,
  pollMs: 3_000,
  firstDelayMs: 250,
  longestDelayMs: 30_000,
};

/** A watch that served at least this long has not failed at once: the next delay starts small again, in milliseconds. */
const SERVED_MS = 5_000;
/** So often a trouble may heal by itself before anyone is told. */
const QUIET_FAILURES = 3;

export interface FollowHooks {
  readonly onChange: (change: ObjectChange) => void;
  /** A list is complete and passed on. */
  readonly onListed: () => void;
  /** The first list is complete and passed on, or will never be. */
  readonly onSettled: () => void;
  readonly onForbidden: (right: string) => void;
  readonly onNotice: (text: string) => void;
}

/**
 * Keeps one collection in view until the signal ends it: list, watch, resume, and a new list where the watch cannot resume. Where watching is
 * not allowed, lists are compared. Returns early only if listing is not allowed or the server does not know the kind.
 */
export async function followCollection(
  transport: Transport,
  subscription: Subscription,
  times: FeedTimes,
  random: () => number,
  hooks: FollowHooks,
  signal: AbortSignal,
): Promise<void> {
  const holding = createHolding();
  const what = rightTo('', subscription.resource, subscription.namespace).trim();
  const vary = (milliseconds: number) => Math.round(milliseconds * (0.75 + random() * 0.5));
  let failures = 0;
  let polling = false;

  const pass = (changes: readonly ObjectChange[]) => {
    for (const change of changes) hooks.onChange(change);
  };

  async function pause(trouble: string): Promise<void> {
    failures += 1;
    if (failures === QUIET_FAILURES) hooks.onNotice(`The view of ${what} is interrupted (${trouble}): trying on.`);
    await wait(vary(Math.min(times.longestDelayMs, times.firstDelayMs * 2 ** Math.min(failures - 1, 16))), signal);
  }

  /** The version of the list that was passed on; null if it could not be had now; undefined if it never will be. */
  async function list(): Promise<string | null | undefined> {
    try {
      const listed = await listAll(transport, subscription, signal);
      if (listed.ok) {
        pass(holding.replace(listed.items.map((item) => arrived(item, subscription))));
        hooks.onListed();
        hooks.onSettled();
        return listed.resourceVersion;
      }
      if (listed.status === 403) hooks.onForbidden(rightTo('list', subscription.resource, subscription.namespace));
      else if (listed.status === 404) hooks.onNotice(`The server does not serve ${what} (any more).`);
      else {
        await pause(`listing: ${listed.status} ${listed.failure.message ?? ''}`.trim());
        return null;
      }
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GateError)) throw error;
      await pause(error.message);
      return null;
    }
  }

  /** Watches from a version on, as often as it can be resumed. */
  async function watch(from: string): Promise<void> {
    let version = from;
    const onEvent = (event: WatchEvent) => {
      version = event.object.metadata.resourceVersion ?? version;
      if (event.type !== 'BOOKMARK') pass(holding.take(event.type, arrived(event.object, subscription)));
      failures = 0;
    };
    for (;;) {
      const startedAt = performance.now();
      const end = await watchOnce(
        transport,
        subscription,
        version,
        { watchSeconds: vary(times.watchSeconds), silenceMs: times.silenceMs },
        signal,
        onEvent,
      );
      if (end.kind === 'expired') return;
      if (end.kind === 'refused' && (end.status === 403 || end.status === 405)) {
        polling = true;
        hooks.onNotice(
          `Watching is not allowed (the right to ${rightTo('watch', subscription.resource, subscription.namespace)} is missing): listing every ${times.pollMs / 1_000} s instead.`,
        );
        return;
      }
      // A refusal may be about the version itself, which only a list can heal.
      if (end.kind === 'refused' && end.status !== 401 && end.status !== 429) return pause(troubleOf(end));
      const served = performance.now() - startedAt >= Math.min(SERVED_MS, times.silenceMs);
      if (served) failures = 0;
      if (end.kind === 'silent' || (end.kind === 'closed' && served)) continue;
      await pause(troubleOf(end));
      if (failures >= QUIET_FAILURES) return;
    }
  }

  while (!signal.aborted) {
    const version = await list();
    if (version === undefined) return hooks.onSettled();
    if (version === null) continue;
    if (polling) await wait(vary(times.pollMs), signal);
    else await watch(version);
  }
}

function troubleOf(end: WatchEnd): string {
  if (end.kind === 'broken') return end.reason;
  if (end.kind === 'refused') return `watching: ${end.status} ${end.failure.message ?? ''}`.trim();
  return 'the server ends the watch at once';
}
