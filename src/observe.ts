import type { Connection } from './cluster/connect.ts';
import { type Feed, openFeed } from './cluster/feed.ts';
import { lookUp } from './cluster/lookup.ts';
import type { Recorder } from './cluster/recorder.ts';
import { followToEnd } from './follow.ts';
import type { Read } from './inspect.ts';
import type { Journey } from './journey.ts';
import { createProgressLog, say } from './progress-log.ts';
import type { ProgressLine } from './report/progress-line.ts';
import { createStore, type Store } from './rollout/store.ts';
import type { Target } from './rollout/target.ts';
import { watchesFor } from './rollout/watches.ts';
import type { Secrets } from './text/secrets.ts';
import type { Judgement, Terms } from './verdict.ts';

/** What following needs besides the targets. */
export interface Observing {
  readonly connection: Connection;
  readonly recorder: Recorder;
  readonly secrets: Secrets;
  readonly cancelled: AbortSignal;
  /** Told how every workload stands, at each judgement. */
  readonly onProgress: (lines: readonly ProgressLine[]) => void;
}

/** What following came to, with all that was seen. */
export interface Observed {
  readonly judgement: Judgement;
  readonly store: Store;
  readonly terms: Terms;
  readonly read: Read;
}

/** Opens the watches that feed one view of the cluster, and judges it until every target is decided. */
export async function observe(targets: readonly Target[], observing: Observing, journey: Journey): Promise<Observed> {
  const { connection, recorder, secrets } = observing;
  const refs = targets.map((target) => target.ref);
  const terms = termsOf(journey, connection.now());
  const store = createStore();
  const log = createProgressLog(terms.startedAt, secrets, observing.onProgress);
  const changes = signalOfChanges();
  journey.log = log;
  const feed = openFeed(connection.transport, {
    onChange: (change) => {
      recorder.change(change);
      store.take(change, connection.now());
      changes.raise();
    },
    onListed: recorder.listed,
    onForbidden: (right) => {
      recorder.forbidden(right);
      store.forbid(right);
      journey.notices.add(`Not allowed to ${right}: what it would show is missing from the judgement`);
    },
    onNotice: (text) => {
      journey.notices.add(text);
      say(text, secrets);
    },
  });
  const read: Read = async (lookup) => {
    const known = await lookUp(connection, lookup, journey.options.logLines);
    recorder.lookup(lookup, known);
    return known;
  };
  try {
    await subscribe(targets, connection, feed);
    recorder.following({ targets, terms });
    const judgement = await followToEnd(targets, terms, {
      store,
      nextChange: changes.next,
      read,
      now: connection.now,
      onJudgement: (judgement, now) => {
        journey.shortfall.take(refs, store.view.object, now);
        log.take(judgement, now);
      },
      cancelled: observing.cancelled,
    });
    return { judgement, store, terms, read };
  } finally {
    feed.close();
  }
}

function termsOf({ options, applied }: Journey, now: number): Terms {
  return {
    patience: options.patience,
    stableForMs: options.stableForMs,
    timeoutMs: options.timeoutMs,
    startedAt: now,
    applied: applied.map((each) => each.after),
  };
}

async function subscribe(targets: readonly Target[], connection: Connection, feed: Feed): Promise<void> {
  const subscriptions = await Promise.all(
    watchesFor(targets).map(async ({ apiVersion, kind, ...watch }) => {
      const resource = await connection.resource(apiVersion, kind);
      return resource === null ? [] : [{ resource, ...watch }];
    }),
  );
  await feed.subscribe(subscriptions.flat());
}

/** Lets one waiter sleep until something has changed since it last looked. */
function signalOfChanges() {
  let raised = false;
  let wake: () => void = () => undefined;
  return {
    raise: () => {
      raised = true;
      wake();
    },
    next: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const done = () => {
          raised = false;
          resolve();
        };
        if (raised) return done();
        wake = done;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
}
