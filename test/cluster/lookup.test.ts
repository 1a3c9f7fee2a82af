import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { lookUp } from '../../src/cluster/lookup.ts';
import type { Lookup } from '../../src/rollout/view.ts';
import { connectTo, json, kubeconfigFor, refusal, type Seen, startServer, withVersion } from './scripted-server.ts';

const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'db' };
const LOG: Lookup = { kind: 'log', namespace: 'shop', pod: 'web-1', container: 'app', previous: true, restart: 2 };
const CORE = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: {},
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [{ resource: 'secrets', responseKind: { kind: 'Secret' }, scope: 'Namespaced' }],
        },
      ],
    },
  ],
};

async function ask(t: TestContext, lookup: Lookup, script: (seen: Seen, response: ServerResponse) => void) {
  const server = await startServer(
    t,
    withVersion((seen, response) => {
      if (seen.path === '/api') json(response, 200, CORE);
      else if (seen.path === '/apis') json(response, 200, { kind: 'APIGroupDiscoveryList', items: [] });
      else script(seen, response);
    }),
  );
  const connection = await connectTo(t, kubeconfigFor(server.url));
  const known = await lookUp(connection, lookup, 40);
  return { known, asked: server.seen.filter((one) => !/^\/(version|apis?)$/.test(one.path)) };
}

const text =
  (body: string) =>
  (_seen: Seen, response: ServerResponse): void => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    response.end(body);
  };

describe('a lookup', () => {
  it('of nodes that may not be listed names the right', async (t) => {
    const { known } = await ask(t, { kind: 'nodes' }, (_seen, response) =>
      json(response, 403, refusal(403, 'Forbidden')),
    );
    assert.deepEqual([known.state, 'right' in known && known.right], ['forbidden', 'list nodes']);
  });

  it('of scheduled pods asks for those that hold a place, and keeps no more of them than that takes', async (t) => {
    const item = {
      metadata: { name: 'a', namespace: 'b', labels: { x: 'y' }, managedFields: [] },
      spec: {
        nodeName: 'n',
        containers: [
          { name: 'c', image: 'i', env: [{ name: 'e', value: 'v' }], resources: { requests: { cpu: '1' } } },
        ],
        volumes: [{ name: 'v' }],
      },
      status: { phase: 'Running', podIP: '10.0.0.1' },
    };
    const { known, asked } = await ask(t, { kind: 'scheduled-pods' }, (_seen, response) =>
      json(response, 200, { metadata: {}, items: [item] }),
    );
    assert.equal(asked[0]?.path, '/api/v1/pods');
    assert.equal(asked[0]?.query['fieldSelector'], 'spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed');
    const expected = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'b' },
      spec: { nodeName: 'n', containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
      status: { phase: 'Running' },
    };
    assert.deepEqual(known.state === 'known' && known.value, [expected]);
  });

  it('of whether a namespace has pods with some labels asks for one of them', async (t) => {
    const has: Lookup = { kind: 'has-pods', namespace: 'shop', labelSelector: 'app=web,tier=front' };
    const { known, asked } = await ask(t, has, (_seen, response) =>
      json(response, 200, { metadata: {}, items: [{ metadata: { name: 'web-1' } }] }),
    );
    assert.equal(asked[0]?.path, '/api/v1/namespaces/shop/pods');
    assert.deepEqual({ ...asked[0]?.query }, { labelSelector: 'app=web,tier=front', limit: '1' });
    assert.equal(known.state === 'known' && known.value, true);
    const none = await ask(t, has, (_seen, response) => json(response, 200, { metadata: {}, items: [] }));
    assert.equal(none.known.state === 'known' && none.known.value, false);
    const refused = await ask(t, has, (_seen, response) => json(response, 403, refusal(403, 'Forbidden')));
    assert.equal('right' in refused.known && refused.known.right, 'list pods in shop');
  });

  it('of whether a Secret exists asks for its metadata only', async (t) => {
    const { known, asked } = await ask(t, { kind: 'exists', ref: SECRET }, (_seen, response) =>
      json(response, 200, { kind: 'PartialObjectMetadata' }),
    );
    assert.equal(known.state === 'known' && known.value, true);
    assert.equal(asked[0]?.path, '/api/v1/namespaces/shop/secrets/db');
    assert.equal(asked[0]?.headers.accept, 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
  });

  it('of an object that is not there, or of a kind that is not served, is an answer', async (t) => {
    const gone = await ask(t, { kind: 'exists', ref: SECRET }, (_seen, response) =>
      json(response, 404, refusal(404, 'NotFound')),
    );
    assert.equal(gone.known.state === 'known' && gone.known.value, false);
    const unknown = await ask(
      t,
      { kind: 'object', ref: { ...SECRET, apiVersion: 'x.example/v1', kind: 'X' } },
      (_seen, response) => json(response, 404, {}),
    );
    assert.equal(unknown.known.state === 'known' && unknown.known.value, null);
  });

  it('of a whole Secret is refused before anything is asked', async (t) => {
    const { known, asked } = await ask(t, { kind: 'object', ref: SECRET }, (_seen, response) =>
      json(response, 200, { data: {} }),
    );
    assert.equal(known.state, 'failed');
    assert.deepEqual(asked, []);
  });

  it('that the server cannot answer says why', async (t) => {
    const { known } = await ask(t, { kind: 'nodes' }, (_seen, response) =>
      json(response, 500, refusal(500, 'InternalError', 'no leader')),
    );
    assert.equal('reason' in known && known.reason, 'list nodes: 500 no leader');
  });
});

describe('a log', () => {
  it('is the tail, oldest line first', async (t) => {
    const { known, asked } = await ask(t, LOG, text('one\ntwo\n'));
    assert.deepEqual(known.state === 'known' && known.value, ['one', 'two']);
    assert.deepEqual(asked[0]?.query, { container: 'app', tailLines: '40', limitBytes: '1048576', previous: 'true' });
  });

  it('that is empty has no lines', async (t) => {
    const { known } = await ask(t, LOG, text(''));
    assert.deepEqual(known.state === 'known' && known.value, []);
  });

  it('of the run before is the present one where there is none', async (t) => {
    const { known, asked } = await ask(t, LOG, (seen, response) => {
      if (seen.query['previous'] === 'true')
        json(response, 400, refusal(400, 'BadRequest', 'previous terminated container "app" in pod "web-1" not found'));
      else text('crashed\n')(seen, response);
    });
    assert.deepEqual(known.state === 'known' && known.value, ['crashed']);
    assert.equal(asked.length, 2);
  });

  it('whose files are gone is not the excuse of the container runtime', async (t) => {
    const { known } = await ask(t, LOG, (seen, response) =>
      text(seen.query['previous'] === 'true' ? 'unable to retrieve container logs for containerd://abc' : 'now\n')(
        seen,
        response,
      ),
    );
    assert.deepEqual(known.state === 'known' && known.value, ['now']);
  });

  it('of a container that has not started is empty', async (t) => {
    const waiting = refusal(400, 'BadRequest', 'container "app" in pod "web-1" is waiting to start: ContainerCreating');
    const { known } = await ask(t, LOG, (_seen, response) => json(response, 400, waiting));
    assert.deepEqual(known.state === 'known' && known.value, []);
  });
});
