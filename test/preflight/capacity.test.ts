import assert from 'node:assert/strict';
import { cluster, complete, deployment, NEW_TEMPLATE, node } from './scenes.ts';
import { table } from './table.ts';

const asks = (cpu: string, pod = '') => deployment(`resources: {requests: {cpu: "${cpu}"}}`, '', pod);
const KARPENTER = { 'karpenter.sh/nodepool': 'default' };

table('capacity', [
  [
    'more than any node has',
    { yaml: asks('3') },
    ['CapacityInsufficient', /requests 3 of cpu, more than any of the 2 nodes has to give \(the largest, a, 2\)/],
  ],
  ['what the largest node has', { yaml: asks('2') }],
  [
    'together with a sidecar',
    {
      yaml: asks('2', 'initContainers: [{name: p, image: p, restartPolicy: Always, resources: {limits: {cpu: 100m}}}]'),
    },
    ['CapacityInsufficient', /requests 2100m/],
  ],
  [
    'init containers run before',
    { yaml: asks('2', 'initContainers: [{name: p, image: p, resources: {requests: {cpu: 2}}}]') },
  ],
  ['an extended resource', { yaml: deployment('resources: {limits: {nvidia.com/gpu: 8}}') }],
  ['cluster-autoscaler', { yaml: asks('3'), answer: cluster({ existing: ['ConfigMap/cluster-autoscaler-status'] }) }],
  ['Karpenter', { yaml: asks('3'), answer: cluster({ nodes: [node('a', '2', '4Gi', KARPENTER)] }) }],
  ['nodes that may not be read', { yaml: asks('3'), answer: cluster({ nodes: null }) }],
  ['a cluster that shows no node', { yaml: asks('3'), answer: cluster({ nodes: [] }) }],
  [
    'nodes that the selector allows',
    {
      yaml: asks('2', 'nodeSelector: {disk: ssd}'),
      answer: cluster({ nodes: [node('big', '4', '4Gi'), node('ssd', '1', '4Gi', { disk: 'ssd' })] }),
    },
    ['CapacityInsufficient', /more than the one node that its nodeSelector allows has to give \(ssd, 1\)/],
  ],
  ['a revision that is there and ready', { yaml: asks('3'), live: { 'Deployment/web': complete(asks('3'), 1) } }],
]);

const wants = (selector: string, kind = 'Deployment') =>
  deployment('', '', `nodeSelector: ${selector}`).replace('kind: Deployment', `kind: ${kind}`);
const SSD = cluster({
  nodes: [node('a', '2', '4Gi', { disk: 'ssd', zone: 'east' }), node('b', '2', '4Gi', { disk: 'hdd', zone: 'west' })],
});

table('node selectors', [
  ['a label that a node has', { yaml: wants('{disk: ssd}'), answer: SSD }],
  [
    'a value that none has',
    { yaml: wants('{disk: nvme}'), answer: SSD },
    ['PlacementImpossible', /disk=nvme fits none of the 2 nodes \(they have disk=hdd, ssd\)/],
  ],
  [
    'a label that none has',
    { yaml: wants('{gpu: a100}'), answer: SSD },
    ['PlacementImpossible', /none of them has the label gpu/],
  ],
  [
    'labels of different nodes',
    { yaml: wants('{disk: ssd, zone: west}'), answer: SSD },
    ['PlacementImpossible', /none of them has all the labels/],
  ],
  [
    'an autoscaler',
    { yaml: wants('{gpu: a100}'), answer: cluster({ existing: ['ConfigMap/cluster-autoscaler-status'] }) },
  ],
  ['a DaemonSet waits for such a node', { yaml: wants('{gpu: a100}', 'DaemonSet'), answer: SSD }],
  ['nodes that may not be read', { yaml: wants('{gpu: a100}'), answer: cluster({ nodes: null }) }],
]);

function placed(nodeName: string, cpu: string, owner = 'ReplicaSet/other-1', count = 1): readonly unknown[] {
  const [kind = '', name = ''] = owner.split('/');
  return Array.from({ length: count }, () => ({
    metadata: { namespace: 'shop', ownerReferences: [{ kind, name }] },
    spec: { nodeName, containers: [{ name: 'c', resources: { requests: { cpu } } }] },
  }));
}

const many = (replicas: number, strategy = '', pod = '') =>
  deployment(
    'resources: {requests: {cpu: 500m}}',
    `replicas: ${replicas}${strategy === '' ? '' : `\n  strategy: ${strategy}`}`,
    pod,
  );
const SURGE = '{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}';
const full = placed('a', '500m', 'ReplicaSet/web-1', 4).concat(placed('b', '500m', 'ReplicaSet/web-1', 4));
const updating = (strategy: string, pods: readonly unknown[]) => ({
  yaml: many(8, strategy),
  live: { 'Deployment/web': complete(many(8, strategy), 8) },
  changes: { 'Deployment/web': NEW_TEMPLATE },
  answer: cluster({ 'scheduled-pods': pods }),
});

table('room', [
  ['all find room', { yaml: many(8) }],
  [
    'the last one does not',
    { yaml: many(9) },
    [
      'CapacityInsufficient',
      /9 pods are asked for, each with 500m of cpu, and the 2 nodes that may take them have room for 8 at most/,
    ],
  ],
  [
    'others are there already',
    { yaml: many(8), answer: cluster({ 'scheduled-pods': placed('a', '1100m') }) },
    ['CapacityInsufficient', /room for 5 at most/],
  ],
  ['pods that may not be read', { yaml: many(9), answer: cluster({ 'scheduled-pods': null }) }],
  ['an autoscaler', { yaml: many(9), answer: cluster({ existing: ['ConfigMap/cluster-autoscaler-status'] }) }],
  [
    'pods that may push others out',
    { yaml: many(9, '', 'priorityClassName: top'), answer: cluster({ existing: ['PriorityClass/top'] }) },
  ],
  ['old pods make room for new ones', updating('{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}', full)],
  [
    'old pods make room for new ones, unless none may leave',
    updating(SURGE, full),
    ['CapacityInsufficient', /no room for one more .*cannot begin/],
  ],
  ['room for the surge', updating(SURGE, full.slice(1))],
  [
    'so little that the list of all pods is not worth it',
    { yaml: many(1), answer: cluster({ 'scheduled-pods': () => assert.fail('a costly read') }) },
  ],
]);
