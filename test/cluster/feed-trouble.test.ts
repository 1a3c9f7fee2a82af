import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectChange } from '../../src/cluster/api.ts';
import { openFeed } from '../../src/cluster/feed.ts';
import { answer, event, list, PODS, play, pod, stream } from './feed-stage.ts';
import { connectTo, json, kubeconfigFor, QUICK_FEED, refusal, startServer, withVersion } from './scripted-server.ts';

describe('a feed in trouble', () => {
  it('reads a list in pages, and starts again when they expire in between', async (t) => {
    const expired = answer(410, refusal(410, 'Expired'));
    const lists = [
      answer(200, list(5, [pod('a', 1)], 'more')),
      expired,
      answer(200, list(6, [pod('a', 1)], 'more')),
      answer(200, list(6, [pod('b', 2)])),
    ];
    const stage = await play(t, { lists, watches: [stream([])] });
    assert.deepEqual(stage.changes, ['ADDED a@1', 'ADDED b@2']);
    assert.deepEqual(
      stage.listed().map((one) => one.query['continue']),
      [undefined, 'more', undefined, 'more'],
    );
  });

  it('resumes after the last version when the server ends the watch or the connection is cut', async (t) => {
    const bookmark = event('BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: '9' } });
    const watches = [
      stream([event('ADDED', pod('a', 6))], 'cut'),
      stream([bookmark], 'close'),
      stream([event('MODIFIED', pod('a', 10))]),
    ];
    const stage = await play(t, { lists: [answer(200, list(5, []))], watches });
    await stage.until(2);
    assert.deepEqual(stage.changes, ['ADDED a@6', 'MODIFIED a@10']);
    assert.deepEqual(
      stage.watched().map((one) => one.query['resourceVersion']),
      ['5', '6', '9'],
    );
    assert.equal(stage.listed().length, 1);
    assert.deepEqual(stage.notices, []);
  });

  for (const [how, expired] of [
    ['as an answer', answer(410, refusal(410, 'Expired'))],
    ['as an event', stream([event('ERROR', refusal(410, 'Expired'))])],
  ] as const) {
    it(`lists again when its version is too old (${how}), and passes on the difference`, async (t) => {
      const lists = [
        answer(200, list(5, [pod('a', 1), pod('b', 2), pod('c', 3), pod('d', 4)])),
        answer(200, list(20, [pod('b', 2), pod('c', 12), pod('d', 13, 'another'), pod('e', 14)])),
      ];
      const stage = await play(t, { lists, watches: [expired, stream([])] });
      await stage.until(9);
      assert.deepEqual(stage.changes.slice(4), [
        'DELETED a@1',
        'MODIFIED c@12',
        'DELETED d@4',
        'ADDED d@13',
        'ADDED e@14',
      ]);
    });
  }

  it('passes nothing on twice, and nothing that is older than what it has', async (t) => {
    const twice = event('MODIFIED', pod('a', 7));
    const events = [
      twice,
      twice,
      event('MODIFIED', pod('a', 6)),
      event('DELETED', pod('a', 5)),
      event('DELETED', pod('x', 8)),
      event('MODIFIED', pod('a', 9)),
    ];
    const stage = await play(t, { lists: [answer(200, list(5, [pod('a', 3)]))], watches: [stream(events)] });
    await stage.until(3);
    assert.deepEqual(stage.changes, ['ADDED a@3', 'MODIFIED a@7', 'MODIFIED a@9']);
  });

  it('resumes after a line that is no event', async (t) => {
    const watches = [
      stream([event('ADDED', pod('a', 6)), '{"type":"MODI\n'], 'open'),
      stream([event('MODIFIED', pod('a', 7))]),
    ];
    const stage = await play(t, { lists: [answer(200, list(5, []))], watches });
    await stage.until(2);
    assert.deepEqual(
      stage.watched().map((one) => one.query['resourceVersion']),
      ['5', '6'],
    );
  });

  it('notices a connection that has gone silent, and resumes', async (t) => {
    const watches = [stream([event('ADDED', pod('a', 6))]), stream([event('MODIFIED', pod('a', 7))])];
    const stage = await play(t, { lists: [answer(200, list(5, []))], watches, times: { silenceMs: 30 } });
    await stage.until(2);
    assert.equal(stage.watched()[1]?.query['resourceVersion'], '6');
    assert.deepEqual(stage.notices, []);
  });

  it('tells of a trouble that does not heal, once, and goes on when it does', async (t) => {
    const broken = answer(500, refusal(500, 'InternalError', 'etcd is on fire'));
    const stage = await play(t, {
      lists: [broken, broken, broken, broken, answer(200, list(5, [pod('a', 3)]))],
      watches: [stream([])],
    });
    assert.deepEqual(stage.changes, ['ADDED a@3']);
    assert.deepEqual(stage.notices, [
      'The view of pods in shop is interrupted (listing: 500 etcd is on fire): trying on.',
    ]);
  });

  it('renews credentials that the watch finds expired', async (t) => {
    const { chmodSync, mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
    const at = mkdtempSync(`${(await import('node:os')).tmpdir()}/feed-`);
    t.after(() => rmSync(at, { recursive: true }));
    const command = `${at}/plugin.sh`;
    writeFileSync(
      command,
      `#!/bin/sh\necho x >> ${at}/runs\nn=$(wc -l < ${at}/runs | tr -d ' ')\necho "{\\"status\\":{\\"token\\":\\"token-$n\\"}}"\n`,
    );
    chmodSync(command, 0o755);
    const server = await startServer(
      t,
      withVersion((seen, response) => {
        if (seen.query['watch'] !== 'true') json(response, 200, list(5, []));
        else if (seen.headers.authorization === 'Bearer token-1') json(response, 401, refusal(401, 'Unauthorized'));
        else stream([event('ADDED', pod('a', 6))])(response, seen);
      }),
    );
    const connection = await connectTo(
      t,
      kubeconfigFor(server.url, { exec: { apiVersion: 'client.authentication.k8s.io/v1', command } }),
    );
    const arrived = Promise.withResolvers<ObjectChange>();
    const feed = openFeed(
      connection.transport,
      { onChange: arrived.resolve, onForbidden: () => undefined, onNotice: () => undefined },
      QUICK_FEED,
    );
    t.after(() => feed.close());
    await feed.subscribe([PODS]);
    assert.equal((await arrived.promise).object.metadata.name, 'a');
  });
});
