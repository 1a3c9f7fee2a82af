import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { ObjectChange } from '../../src/cluster/api.ts';
import { type FeedHooks, openFeed } from '../../src/cluster/feed.ts';
import type { FeedTimes } from '../../src/cluster/follow-collection.ts';
import type { Subscription } from '../../src/cluster/subscription.ts';
import {
  connectTo,
  json,
  kubeconfigFor,
  QUICK_FEED,
  type ScriptedServer,
  type Seen,
  startServer,
  withVersion,
} from './scripted-server.ts';

export const PODS: Subscription = {
  resource: { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
  namespace: 'shop',
};

export function pod(name: string, version: number, uid = `uid-${name}`): object {
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid,
      resourceVersion: String(version),
      managedFields: [{ manager: 'kubelet' }],
    },
  };
}

export function list(version: number, items: readonly object[], next?: string): object {
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: String(version), ...(next === undefined ? {} : { continue: next }) },
    items,
  };
}

export function event(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export type Step = (response: ServerResponse, seen: Seen) => void;

/** Sends events and leaves the watch open, or ends it as told. */
export const stream =
  (events: readonly string[], end: 'open' | 'close' | 'cut' = 'open'): Step =>
  (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.flushHeaders();
    for (const one of events) response.write(one);
    if (end === 'close') response.end();
    if (end === 'cut') setImmediate(() => response.destroy());
  };

export const answer =
  (status: number, body: object): Step =>
  (response) =>
    json(response, status, body);

interface Setting {
  readonly lists: readonly Step[];
  readonly watches: readonly Step[];
  readonly times?: Partial<FeedTimes>;
  readonly subscription?: Subscription;
}

export interface Stage {
  readonly server: ScriptedServer;
  readonly changes: string[];
  readonly objects: ObjectChange[];
  readonly notices: string[];
  readonly forbidden: string[];
  readonly watched: () => readonly Seen[];
  readonly listed: () => readonly Seen[];
  /** Resolves once as many changes have arrived. */
  readonly until: (count: number) => Promise<void>;
  readonly close: () => void;
}

export async function play(t: TestContext, setting: Setting): Promise<Stage> {
  const counts = { lists: 0, watches: 0 };
  const next = (kind: 'lists' | 'watches'): Step | undefined => {
    const all = setting[kind];
    counts[kind] += 1;
    return all[Math.min(counts[kind], all.length) - 1];
  };
  const server = await startServer(
    t,
    withVersion((seen, response) => next(seen.query['watch'] === 'true' ? 'watches' : 'lists')?.(response, seen)),
  );
  const connection = await connectTo(t, kubeconfigFor(server.url));
  const objects: ObjectChange[] = [];
  const changes: string[] = [];
  const notices: string[] = [];
  const forbidden: string[] = [];
  let wake: () => void = () => undefined;
  const hooks: FeedHooks = {
    onChange: (change) => {
      objects.push(change);
      changes.push(`${change.type} ${change.object.metadata.name}@${change.object.metadata.resourceVersion}`);
      wake();
    },
    onForbidden: (right) => forbidden.push(right),
    onNotice: (text) => notices.push(text),
  };
  const feed = openFeed(connection.transport, hooks, { ...QUICK_FEED, ...setting.times }, () => 0.5);
  t.after(() => feed.close());
  await feed.subscribe([setting.subscription ?? PODS]);
  return {
    server,
    changes,
    objects,
    notices,
    forbidden,
    watched: () => server.seen.filter((one) => one.query['watch'] === 'true'),
    listed: () => server.seen.filter((one) => one.path.endsWith('/pods') && one.query['watch'] === undefined),
    until: async (count) => {
      while (changes.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    close: feed.close,
  };
}
