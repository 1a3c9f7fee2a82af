import { setTimeout as sleep } from 'node:timers/promises';
import { lookupKey, type Store } from './rollout/store.ts';
import type { Target } from './rollout/target.ts';
import type { Known, Lookup } from './rollout/view.ts';
import { type Judgement, judge, type Terms } from './verdict.ts';

/** What following needs from the outside. */
export interface Surroundings {
  readonly store: Store;
  /** Resolves as soon as the store has taken in something new since the last call. */
  readonly nextChange: (signal: AbortSignal) => Promise<void>;
  /** Does a read that a rule asked for. Never rejects: what went wrong is part of the answer. */
  readonly read: (lookup: Lookup) => Promise<Known<unknown>>;
  /** Milliseconds since the epoch by the server's clock. */
  readonly now: () => number;
  /** Told of every judgement, so that progress can be shown. */
  readonly onJudgement: (judgement: Judgement, now: number) => void;
  /** Ends the wait without a verdict: the run is being cancelled. */
  readonly cancelled: AbortSignal;
}

/** The log wants to be told how things stand, also where nothing changes. */
const HEARTBEAT_MS = 10_000;
/** A burst of changes is judged once, and judging takes half of the time at the most. */
const COALESCE_MS = 20;
/** A read that a rule still wants is done again after this long, and ever more rarely the longer the stall stands. */
const REFRESH_MS = 15_000;

/**
 * Judges on every change of the view, and at the earliest moment at which time alone could change the outcome, until every target is
 * decided, or the run is cancelled. Nothing sleeps for a fixed time.
 */
export async function followToEnd(targets: readonly Target[], terms: Terms, outside: Surroundings): Promise<Judgement> {
  const reads = startReads(outside);
  let judgement: Judgement | null = null;
  for (;;) {
    const now = outside.now();
    const began = performance.now();
    judgement = judge(targets, judgement, outside.store.view, terms, now);
    const cost = performance.now() - began;
    outside.onJudgement(judgement, now);
    if (judgement.done || outside.cancelled.aborted) return judgement;
    reads.want(judgement.wanted, now);
    const wakeAt = Math.min(judgement.wakeAt, now + HEARTBEAT_MS, reads.staleAt(judgement.wanted));
    await wait(wakeAt - outside.now(), outside, reads);
    await sleep(Math.max(COALESCE_MS, cost), undefined, { signal: outside.cancelled }).catch(() => undefined);
  }
}

async function wait(milliseconds: number, outside: Surroundings, reads: Reads): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, outside.cancelled]);
  const timer = sleep(Math.max(0, Math.min(milliseconds, HEARTBEAT_MS)), undefined, { signal }).catch(() => undefined);
  await Promise.race([timer, outside.nextChange(signal).catch(() => undefined), reads.nextDone()]);
  over.abort();
}

interface Reads {
  readonly want: (lookups: readonly Lookup[], now: number) => void;
  readonly staleAt: (lookups: readonly Lookup[]) => number;
  readonly nextDone: () => Promise<void>;
}

/** Keeps the reads going that rules ask for: each once at a time, again when it is stale. */
function startReads(outside: Surroundings): Reads {
  const running = new Set<string>();
  const first = new Map<string, number>();
  let done = Promise.withResolvers<void>();

  function start(lookup: Lookup, key: string): void {
    running.add(key);
    void outside.read(lookup).then((known) => {
      running.delete(key);
      outside.store.learn(lookup, known);
      const finished = done;
      done = Promise.withResolvers();
      finished.resolve();
    });
  }

  function dueAt(lookup: Lookup): number {
    const known = outside.store.view.lookup(lookup);
    if (known.state === 'unread') return Number.NEGATIVE_INFINITY;
    if (isFinal(lookup, known)) return Number.POSITIVE_INFINITY;
    const age = known.at - (first.get(lookupKey(lookup)) ?? known.at);
    return known.at + Math.max(REFRESH_MS, age / 2);
  }

  return {
    want: (lookups, now) => {
      for (const lookup of lookups) {
        const key = lookupKey(lookup);
        if (!first.has(key)) first.set(key, now);
        if (!running.has(key) && dueAt(lookup) <= now) start(lookup, key);
      }
    },
    staleAt: (lookups) =>
      Math.min(Number.POSITIVE_INFINITY, ...lookups.filter((each) => !running.has(lookupKey(each))).map(dueAt)),
    nextDone: () => done.promise,
  };
}

/** The log of a run that ended does not change, and what is forbidden stays so for this run. */
function isFinal(lookup: Lookup, known: Known<unknown>): boolean {
  return (
    known.state === 'forbidden' ||
    (lookup.kind === 'log' &&
      known.state === 'known' &&
      known.value !== null &&
      (known.value as readonly string[]).length > 0)
  );
}
