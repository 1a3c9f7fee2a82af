import type { ObjectChange } from './api.ts';
import { FEED_TIMES, type FeedTimes, followCollection } from './follow-collection.ts';
import type { Subscription } from './subscription.ts';
import type { Transport } from './transport.ts';

/** What a feed tells of. Each is called in the order of arrival, and must not throw. */
export interface FeedHooks {
  readonly onChange: (change: ObjectChange) => void;
  /** A collection was listed for the first time, and its objects were passed on. */
  readonly onListed?: (subscription: Subscription) => void;
  /** Every collection subscribed to so far was listed and passed on, or is forbidden. */
  readonly onSynced?: () => void;
  /** A collection that may not be listed, as a right: `list events in shop`. It is not asked for again. */
  readonly onForbidden: (right: string) => void;
  /** Something that the person who reads the log should know, in a sentence. */
  readonly onNotice: (text: string) => void;
}

/** A live view of some collections. Its requests do not grow with time or with the number of objects. */
export interface Feed {
  /** Adds collections; those it has already are left alone. Resolves once each was passed on or is forbidden; rejects if the feed is closed before. */
  readonly subscribe: (subscriptions: readonly Subscription[]) => Promise<void>;
  readonly close: () => void;
}

export function openFeed(
  transport: Transport,
  hooks: FeedHooks,
  times: FeedTimes = FEED_TIMES,
  random: () => number = Math.random,
): Feed {
  const closing = new AbortController();
  const closed = AbortSignal.any([closing.signal, transport.closed]);
  const settled = new Map<string, Promise<void>>();
  let pending = 0;

  function start(subscription: Subscription): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    pending += 1;
    let done = false;
    const onListed = () => {
      if (!done) hooks.onListed?.(subscription);
    };
    const onSettled = () => {
      if (done) return;
      done = true;
      pending -= 1;
      resolve();
      if (pending === 0) hooks.onSynced?.();
    };
    followCollection(transport, subscription, times, random, { ...hooks, onListed, onSettled }, closed).catch(
      (error: unknown) => {
        if (!closed.aborted) throw error;
        reject(error);
      },
    );
    promise.catch(() => undefined);
    return promise;
  }

  return {
    subscribe: async (subscriptions) => {
      const all = subscriptions.map((subscription) => {
        const key = JSON.stringify([
          subscription.resource.apiVersion,
          subscription.resource.plural,
          subscription.namespace,
          subscription.labelSelector ?? '',
          subscription.fieldSelector ?? '',
        ]);
        const running = settled.get(key) ?? start(subscription);
        settled.set(key, running);
        return running;
      });
      await Promise.all(all);
    },
    close: () => closing.abort(new Error('the feed was closed')),
  };
}
