import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { NOON, targetOf, tell } from '../situation.ts';

const TEMPLATE = { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'app', image: 'agent:2' }] } };

function daemonSet(desired: number, updated: number, available: number): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'shop', uid: 'ds', generation: 2 },
    spec: { template: TEMPLATE },
    status: {
      observedGeneration: 2,
      desiredNumberScheduled: desired,
      currentNumberScheduled: desired,
      updatedNumberScheduled: updated,
      numberReady: available,
      numberAvailable: available,
    },
  };
}

const owner = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'ds', controller: true }];
const revision: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: 'agent-new',
    namespace: 'shop',
    uid: 'rev',
    labels: { 'controller-revision-hash': 'new' },
    ownerReferences: owner,
  },
  revision: 2,
  data: { spec: { template: { ...TEMPLATE, $patch: 'replace' } } },
};

function agent(node: string, hash: string, ready: boolean, leaving = false): KubernetesObject {
  const metadata = {
    name: `agent-${node}-${hash}`,
    namespace: 'shop',
    uid: `${node}-${hash}`,
    labels: { 'controller-revision-hash': hash },
    ownerReferences: owner,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: leaving ? { ...metadata, deletionTimestamp: '2026-01-02T12:00:00Z' } : metadata,
    spec: { nodeName: node, containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function node(name: string, ready: boolean): unknown {
  return {
    metadata: { name, labels: {} },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }] },
  };
}

function phase(set: KubernetesObject, pods: readonly KubernetesObject[]): string {
  const nodes = [node('good', true), node('dead', false)];
  const target = targetOf(set, { since: NOON });
  const judgement = tell({
    targets: [target],
    moments: [{ seconds: 1, objects: [set, revision, ...pods] }],
    answers: { nodes },
  });
  return judgement.standings[0]?.rollout.progress.phase ?? '';
}

test('a dead node is excused once every good node is done', () => {
  assert.equal(phase(daemonSet(2, 1, 1), [agent('good', 'new', true), agent('dead', 'old', false)]), 'complete');
});

test('a dead node excuses nothing on a good one', () => {
  assert.equal(phase(daemonSet(2, 0, 1), [agent('good', 'old', true), agent('dead', 'old', false)]), 'progressing');
  assert.equal(phase(daemonSet(2, 0, 0), [agent('dead', 'old', false)]), 'progressing', 'the good node has no pod yet');
});

test('a dead node that the controller no longer counts excuses nothing', () => {
  assert.equal(
    phase(daemonSet(1, 0, 1), [agent('good', 'old', true), agent('dead', 'old', false, true)]),
    'progressing',
  );
  assert.equal(phase(daemonSet(1, 1, 1), [agent('good', 'new', true), agent('dead', 'old', false, true)]), 'complete');
});
