import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Recording } from '../../src/cluster/recording.ts';
import { rightTo } from '../../src/cluster/subscription.ts';
import { type Answer, type Asked, failure, listOf, lookedUp, recordedAnswers } from './answers.ts';
import { createDice, type FaultKind, type Faults } from './faults.ts';
import { gatesOf } from './gates.ts';
import { readRequest, reply } from './http.ts';
import { discovery, type Named, readPath, resourceList, resourcesAt } from './resources.ts';
import { type Collection, createTimeline, stateAt } from './timeline.ts';
import { createVirtualTime } from './virtual-time.ts';
import { openWatchStream, type WatchStream } from './watch-stream.ts';

export interface ReplayOptions {
  /** Virtual per real milliseconds. */
  readonly speed: number;
  readonly faults?: Faults;
  /** No page of a list is longer. */
  readonly pageSize?: number;
}

/** A server that plays one recording to one run of the product. */
export interface Replay {
  readonly url: string;
  /** The content of a kubeconfig for it. */
  readonly kubeconfig: string;
  /** Every request, in order: `GET /api/v1/pods 200`. */
  readonly journal: readonly string[];
  readonly struck: ReadonlyMap<FaultKind, number>;
  readonly close: () => Promise<void>;
}

/** Starts the server on a free port of the loopback interface. */
export async function startReplay(recording: Recording, options: ReplayOptions): Promise<Replay> {
  const journal: string[] = [];
  const dice = createDice(options.faults ?? null);
  const play = createPlay(recording, options, dice);
  const server = createServer((request, response) => {
    response.sendDate = false;
    response.setHeader('Date', play.date());
    response.on('close', () => journal.push(`${request.method} ${request.url} ${response.statusCode}`));
    play.handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(failure(500, 'ReplayBroken', String(error))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    kubeconfig: kubeconfigFor(url),
    journal,
    struck: dice.struck,
    close: async () => {
      play.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'replay',
    clusters: [{ name: 'replay', cluster: { server } }],
    users: [{ name: 'replay', user: { token: 'replay-token' } }],
    contexts: [{ name: 'replay', context: { cluster: 'replay', user: 'replay' } }],
  });
}

interface Play {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly date: () => string;
  readonly stop: () => void;
}

function createPlay(recording: Recording, options: ReplayOptions, dice: ReturnType<typeof createDice>): Play {
  const timeline = createTimeline(recording);
  const gates = gatesOf(recording);
  // A run that changes nothing begins with its first look.
  const opening =
    gates.length > 0 ? null : (recording.lines.find((line) => 'listed' in line || 'change' in line)?.at ?? 0);
  const time = createVirtualTime(opening === null ? gates : [opening], options.speed);
  const recorded = recordedAnswers(recording);
  const forbidden = new Set(recording.lines.flatMap((line) => ('forbidden' in line ? [line.forbidden] : [])));
  const pages = new Map<string, { readonly items: readonly unknown[]; readonly version: string }>();
  const streams = new Set<WatchStream>();
  let timer: NodeJS.Timeout | null = null;

  /** Sends what is due, and comes back when something else will be. */
  function advance(): void {
    if (timer !== null) clearTimeout(timer);
    for (const stream of streams) {
      stream.advance();
      if (stream.nextAt() === Number.POSITIVE_INFINITY) streams.delete(stream);
    }
    const next = Math.min(Number.POSITIVE_INFINITY, ...[...streams].map((stream) => time.until(stream.nextAt())));
    timer = Number.isFinite(next) ? setTimeout(advance, Math.min(next + 1, 1_000)) : null;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readRequest(request);
    if (dice.strikes('slow')) await sleep(options.faults?.slowMs ?? 20);
    if (dice.strikes('drop')) response.destroy();
    else if (dice.strikes('throttle'))
      reply(response, 429, failure(429, 'TooManyRequests', 'too many requests'), {
        'Retry-After': String(options.faults?.throttleSeconds ?? 1),
      });
    else if (dice.strikes('unavailable')) reply(response, 503, 'upstream connect error');
    else if (asked.query['watch'] === 'true') watch(asked, response);
    else answer(asked, response);
  }

  function answer(asked: Asked, response: ServerResponse): void {
    const found = answerTo(asked);
    if (found.gate !== null) time.open(found.gate);
    response.setHeader('Date', date());
    reply(response, found.status, found.body);
    advance();
  }

  function answerTo(asked: Asked): Answer {
    const resources = resourcesAt(recording, time.now());
    const ok = (body: object): Answer => ({ status: 200, body, gate: null });
    if (asked.path === '/version') return ok({ gitVersion: recording.header.server, major: '1', minor: '' });
    if (asked.path === '/api' || asked.path === '/apis') return ok(discovery(resources, asked.path === '/api'));
    const version = /^\/(?:api|apis)\/((?:[^/]+\/)?v[^/]+)$/.exec(asked.path)?.[1];
    const list = version === undefined ? null : resourceList(resources, version);
    if (list !== null) return ok(list);
    const named = readPath(resources, asked.path);
    const found =
      recorded(asked) ??
      (named === null || asked.method !== 'GET'
        ? null
        : (lookedUp(recording, named, asked.query, time.now()) ?? held(named, asked.query)));
    return (
      found ?? {
        status: 403,
        body: failure(403, 'Forbidden', `${asked.method} ${asked.path} is not in the recording`),
        gate: null,
      }
    );
  }

  /** What the changes add up to at this moment; null where the recording never looked. */
  function held(named: Named, query: Readonly<Record<string, string>>): Answer | null {
    const collection = collectionOf(named, query);
    if (
      named.subresource !== '' ||
      !timeline.knows(collection) ||
      forbidden.has(rightTo('list', named.resource, named.namespace))
    )
      return null;
    if (opening !== null) time.open(opening);
    const { items, version } = stateAt(timeline.changes(collection), time.now());
    if (named.name === '') return page(named, query, items, String(version));
    const object = items.find((item) => item.metadata.name === named.name);
    if (object !== undefined) return { status: 200, body: object, gate: null };
    return {
      status: 404,
      body: failure(404, 'NotFound', `${named.resource.plural} "${named.name}" not found`),
      gate: null,
    };
  }

  function page(
    named: Named,
    query: Readonly<Record<string, string>>,
    all: readonly unknown[],
    version: string,
  ): Answer {
    const token = query['continue'] ?? '';
    if (token !== '' && (!pages.has(token) || dice.strikes('expire')))
      return { status: 410, body: failure(410, 'Expired', 'the continue parameter is too old'), gate: null };
    const rest = pages.get(token) ?? { items: all, version };
    const size = Math.min(
      Number(query['limit'] ?? Number.POSITIVE_INFINITY),
      options.pageSize ?? Number.POSITIVE_INFINITY,
    );
    if (rest.items.length <= size || query['limit'] === undefined)
      return { status: 200, body: listOf(named, rest.items, rest.version), gate: null };
    const next = `page-${pages.size + 1}`;
    pages.set(next, { items: rest.items.slice(size), version: rest.version });
    return { status: 200, body: listOf(named, rest.items.slice(0, size), rest.version, next), gate: null };
  }

  function watch(asked: Asked, response: ServerResponse): void {
    const named = readPath(resourcesAt(recording, time.now()), asked.path);
    const collection = named === null ? null : collectionOf(named, asked.query);
    if (named === null || collection === null || !timeline.knows(collection)) {
      reply(response, 403, failure(403, 'Forbidden', `${asked.path} is not in the recording`));
      return;
    }
    if (dice.strikes('expire')) {
      reply(response, 410, failure(410, 'Expired', 'too old resource version'));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const from = BigInt(asked.query['resourceVersion'] ?? '0');
    const endAt = time.now() + Number(asked.query['timeoutSeconds'] ?? '1800') * 1_000;
    streams.add(openWatchStream(response, named.resource, timeline.changes(collection), from, endAt, time, dice));
    advance();
  }

  const date = () => new Date(Date.parse(recording.header.startedAt) + time.now()).toUTCString();
  return {
    handle,
    date,
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      streams.clear();
    },
  };
}

function collectionOf({ resource, namespace }: Named, query: Readonly<Record<string, string>>): Collection {
  return {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    namespace,
    labelSelector: query['labelSelector'] ?? '',
    fieldSelector: query['fieldSelector'] ?? '',
  };
}
