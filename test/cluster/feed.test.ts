import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { openFeed } from '../../src/cluster/feed.ts';
import { answer, event, list, PODS, play, pod, type Step, stream } from './feed-stage.ts';
import {
  connectTo,
  json,
  kubeconfigFor,
  QUICK_FEED,
  refusal,
  type Seen,
  startServer,
  withVersion,
} from './scripted-server.ts';

describe('a feed', () => {
  it('passes on the list and then each event, as objects that name their kind and carry no managed fields', async (t) => {
    const stage = await play(t, {
      lists: [answer(200, list(5, [pod('a', 3)]))],
      watches: [stream([event('ADDED', pod('b', 6)), event('MODIFIED', pod('a', 7)), event('DELETED', pod('b', 8))])],
    });
    await stage.until(4);
    assert.deepEqual(stage.changes, ['ADDED a@3', 'ADDED b@6', 'MODIFIED a@7', 'DELETED b@8']);
    for (const { object } of stage.objects) {
      assert.deepEqual([object.apiVersion, object.kind], ['v1', 'Pod']);
      assert.equal(object.metadata.managedFields, undefined);
    }
    assert.equal(stage.watched()[0]?.query['resourceVersion'], '5');
    assert.equal(stage.watched()[0]?.query['allowWatchBookmarks'], 'true');
  });

  it('keeps managed fields where they are asked for, and sends its selectors', async (t) => {
    const subscription = {
      ...PODS,
      keepManagedFields: true,
      labelSelector: 'app in (a,b)',
      fieldSelector: 'metadata.name=a',
    };
    const stage = await play(t, { lists: [answer(200, list(5, [pod('a', 3)]))], watches: [stream([])], subscription });
    assert.equal(stage.objects[0]?.object.metadata.managedFields?.[0]?.manager, 'kubelet');
    assert.equal(stage.listed()[0]?.query['labelSelector'], 'app in (a,b)');
    assert.equal(stage.listed()[0]?.query['fieldSelector'], 'metadata.name=a');
  });

  it('reads events that arrive in pieces, within a character too', async (t) => {
    const bytes = Buffer.from(event('ADDED', { ...pod('a', 6), spec: { text: 'é' } }) + event('ADDED', pod('b', 7)));
    const pieces: Step = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const write = (from: number): void => {
        response.write(bytes.subarray(from, from + 1));
        if (from + 1 < bytes.length) setImmediate(write, from + 1);
      };
      write(0);
    };
    const stage = await play(t, { lists: [answer(200, list(5, []))], watches: [pieces] });
    await stage.until(2);
    assert.deepEqual(stage.objects[0]?.object['spec'], { text: 'é' });
  });

  it('polls where watching is not allowed, with the same changes, and says so', async (t) => {
    const lists = [
      answer(200, list(5, [pod('a', 1)])),
      answer(200, list(5, [pod('a', 1)])),
      answer(200, list(9, [pod('a', 8), pod('b', 9)])),
      answer(200, list(12, [pod('b', 9)])),
    ];
    const stage = await play(t, { lists, watches: [answer(403, refusal(403, 'Forbidden'))] });
    await stage.until(4);
    assert.deepEqual(stage.changes, ['ADDED a@1', 'MODIFIED a@8', 'ADDED b@9', 'DELETED a@8']);
    assert.equal(stage.watched().length, 1);
    assert.match(
      stage.notices.join(),
      /Watching is not allowed \(the right to watch pods in shop is missing\): listing every/,
    );
  });

  it('names the right that is missing where listing is not allowed, and asks no more', async (t) => {
    const stage = await play(t, { lists: [answer(403, refusal(403, 'Forbidden'))], watches: [] });
    assert.deepEqual(stage.forbidden, ['list pods in shop']);
    assert.equal(stage.server.seen.length, 2);
  });

  it('is closed at once, and changes nothing afterwards', async (t) => {
    let open: ServerResponse | null = null;
    const watch: Step = (response) => {
      stream([event('ADDED', pod('a', 6))])(response, {} as Seen);
      open = response;
    };
    const stage = await play(t, { lists: [answer(200, list(5, []))], watches: [watch] });
    await stage.until(1);
    const ended = new Promise((resolve) => open?.on('close', resolve));
    const began = performance.now();
    stage.close();
    await ended;
    assert.ok(performance.now() - began < 50);
    assert.equal(stage.watched().length, 1);
  });

  it('asks for the same collection once, however often it is subscribed to', async (t) => {
    const server = await startServer(
      t,
      withVersion((seen, response) =>
        seen.query['watch'] === 'true' ? stream([])(response, seen) : json(response, 200, list(1, [])),
      ),
    );
    const connection = await connectTo(t, kubeconfigFor(server.url));
    let synced = 0;
    const feed = openFeed(
      connection.transport,
      {
        onChange: () => undefined,
        onForbidden: () => undefined,
        onNotice: () => undefined,
        onSynced: () => (synced += 1),
      },
      QUICK_FEED,
    );
    t.after(() => feed.close());
    await Promise.all([feed.subscribe([PODS, { ...PODS }]), feed.subscribe([PODS])]);
    assert.equal(server.seen.filter((one) => one.path.endsWith('/pods') && one.query['watch'] === undefined).length, 1);
    assert.equal(synced, 1);
  });
});
