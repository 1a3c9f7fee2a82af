import type { ServerResponse } from 'node:http';
import type { ApiResource } from '../../src/cluster/api.ts';
import { failure } from './answers.ts';
import type { Dice } from './faults.ts';
import type { TimedChange } from './timeline.ts';
import type { VirtualTime } from './virtual-time.ts';

const BOOKMARK_EVERY_MS = 60_000;

/** One open watch: `advance` sends what has become due. */
export interface WatchStream {
  readonly advance: () => void;
  /** The moment at which it has something to send; infinity if it has ended. */
  readonly nextAt: () => number;
}

/**
 * @param from the version after which changes are sent
 * @param endAt the moment at which the server ends the watch, as `timeoutSeconds` asks
 */
export function openWatchStream(
  response: ServerResponse,
  resource: ApiResource,
  changes: readonly TimedChange[],
  from: bigint,
  endAt: number,
  time: VirtualTime,
  dice: Dice,
): WatchStream {
  let index = changes.findIndex((change) => change.version > from);
  if (index < 0) index = changes.length;
  let version = from;
  let bookmarkAt = time.now() + BOOKMARK_EVERY_MS;
  let ended = false;
  response.on('close', () => {
    ended = true;
  });
  response.flushHeaders();

  function send(type: string, object: object): void {
    response.write(`${JSON.stringify({ type, object })}\n`);
  }

  function sendChange({ type, object, version: own }: TimedChange): void {
    if (dice.strikes('drop')) cut();
    else if (dice.strikes('expire')) expire();
    else if (dice.strikes('tear')) tear();
    else {
      send(type, object);
      if (dice.strikes('duplicate')) send(type, object);
      version = own;
      index += 1;
    }
  }

  function cut(): void {
    ended = true;
    response.destroy();
  }

  function expire(): void {
    send('ERROR', failure(410, 'Expired', 'too old resource version'));
    end();
  }

  function tear(): void {
    response.write('{"type":"MODIFIED","obj\n');
    end();
  }

  function end(): void {
    ended = true;
    response.end();
  }

  return {
    advance: () => {
      const now = time.now();
      while (!ended && (changes[index]?.at ?? Number.POSITIVE_INFINITY) <= now) {
        const change = changes[index];
        if (change !== undefined) sendChange(change);
      }
      if (!ended && bookmarkAt <= now) {
        send('BOOKMARK', {
          kind: resource.kind,
          apiVersion: resource.apiVersion,
          metadata: { resourceVersion: String(version) },
        });
        bookmarkAt = now + BOOKMARK_EVERY_MS;
      }
      if (!ended && endAt <= now) end();
    },
    nextAt: () =>
      ended ? Number.POSITIVE_INFINITY : Math.min(changes[index]?.at ?? Number.POSITIVE_INFINITY, bookmarkAt, endAt),
  };
}
