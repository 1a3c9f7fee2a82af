import type { Lookup } from '../../src/rollout/view.ts';
import { cluster, complete, deployment, NEW_TEMPLATE, node, type Situation } from './scenes.ts';
import { table } from './table.ts';

const VOLUME = 'volumes: [{name: v, persistentVolumeClaim: {claimName: p}}]';

function claim(modes: readonly string[], spec: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'p' },
    spec: { accessModes: modes, ...spec },
  };
}

function sharing(
  modes: readonly string[],
  spec = '',
  options: {
    readonly pod?: string;
    readonly claim?: object;
    readonly others?: Readonly<Record<string, unknown>>;
    readonly nodes?: unknown;
  } = {},
): Situation {
  const objects: Readonly<Record<string, unknown>> = {
    PersistentVolumeClaim: claim(modes, options.claim),
    ...options.others,
  };
  const object = ({ ref }: Extract<Lookup, { kind: 'object' }>) => objects[ref.kind] ?? null;
  return {
    yaml: deployment('', spec, `${options.pod === undefined ? '' : `${options.pod}\n      `}${VOLUME}`),
    answer: cluster({
      existing: ['PersistentVolumeClaim/p'],
      object,
      ...('nodes' in options ? { nodes: options.nodes } : {}),
    }),
  };
}

const LOCAL = {
  spec: {
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname' }] }] } },
  },
};
const ONE_NODE = [node('a', '2', '4Gi')];

table('volumes that pods share', [
  [
    'RollingUpdate with a volume of one node',
    sharing(['ReadWriteOnce']),
    ['VolumeAttachBlocked', /ReadWriteOnce, which one node .* Set strategy\.type Recreate/],
  ],
  ['Recreate', sharing(['ReadWriteOnce'], 'strategy: {type: Recreate}')],
  ['no surge', sharing(['ReadWriteOnce'], 'strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}')],
  ['a volume of many nodes', sharing(['ReadWriteMany'])],
  ['a volume of one node or many', sharing(['ReadWriteOnce', 'ReadWriteMany'])],
  ['one node', sharing(['ReadWriteOnce'], '', { nodes: ONE_NODE })],
  [
    'one node, and a volume of one pod',
    sharing(['ReadWriteOncePod'], '', { nodes: ONE_NODE }),
    ['VolumeAttachBlocked', /one pod can hold/],
  ],
  ['several replicas', sharing(['ReadWriteOnce'], 'replicas: 2'), ['VolumeAttachBlocked', /2 replicas want it/]],
  [
    'several replicas, Recreate',
    sharing(['ReadWriteOnce'], 'replicas: 2\n  strategy: {type: Recreate}'),
    ['VolumeAttachBlocked', /2 replicas want it/],
  ],
  ['no replica', sharing(['ReadWriteOnce'], 'replicas: 0')],
  [
    'pods that are bound to one node',
    sharing(['ReadWriteOnce'], '', {
      pod: 'nodeSelector: {kubernetes.io/hostname: a}',
      nodes: ['a', 'b'].map((name) => node(name, '2', '4Gi', { 'kubernetes.io/hostname': name })),
    }),
  ],
  [
    'a volume that lies on one node',
    sharing(['ReadWriteOnce'], '', { claim: { volumeName: 'pv' }, others: { PersistentVolume: LOCAL } }),
  ],
  [
    'a volume that lies in the network',
    sharing(['ReadWriteOnce'], '', {
      claim: { volumeName: 'pv' },
      others: { PersistentVolume: { spec: { csi: {} } } },
    }),
    ['VolumeAttachBlocked', /on another node/],
  ],
  ['a volume that may not be read', sharing(['ReadWriteOnce'], '', { claim: { volumeName: 'pv' } })],
  [
    'a class that makes volumes on one node',
    sharing(['ReadWriteOnce'], '', {
      claim: { storageClassName: 'local' },
      others: { StorageClass: { provisioner: 'rancher.io/local-path' } },
    }),
  ],
  ['nodes that may not be read', sharing(['ReadWriteOnce'], '', { nodes: null })],
]);

const PORT = 'ports: [{containerPort: 80, hostPort: 80}]';
const port = (spec: string, container = PORT, pod = ''): Situation => ({ yaml: deployment(container, spec, pod) });

table('ports of the node', [
  [
    'as many pods as nodes, and none may leave',
    port('replicas: 2'),
    ['PlacementImpossible', /port 80 of its node.*2 pods are asked for on 2 nodes.*cannot place its first new pod/],
  ],
  ['a node is left', port('replicas: 1')],
  ['an old pod may leave', port('replicas: 2\n  strategy: {rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}')],
  ['all leave', port('replicas: 2\n  strategy: {type: Recreate}')],
  [
    'more pods than nodes',
    port('replicas: 3\n  strategy: {type: Recreate}'),
    ['PlacementImpossible', /1 cannot be placed/],
  ],
  ['no port of the node', port('replicas: 2', 'ports: [{containerPort: 80}]')],
  [
    'the network of the node',
    port('replicas: 2', 'ports: [{containerPort: 80}]', 'hostNetwork: true'),
    ['PlacementImpossible', /hostNetwork/],
  ],
  ['an autoscaler', { ...port('replicas: 2'), answer: cluster({ existing: ['ConfigMap/cluster-autoscaler-status'] }) }],
  ['nothing that moves', { ...port('replicas: 2'), live: { 'Deployment/web': complete(deployment(PORT), 2) } }],
]);

const strategy = (surge: string, unavailable: string, replicas = 3): Situation => ({
  yaml: deployment(
    '',
    `replicas: ${replicas}\n  strategy: {rollingUpdate: {maxSurge: ${surge}, maxUnavailable: ${unavailable}}}`,
  ),
});

table('surge and unavailable', [
  [
    'both come to nothing',
    strategy('0', '25%'),
    ['UpdateWithoutSurge', /25% of 3 replicas both come to 0 pods.*only 2 of 3 pods serve/],
  ],
  ['one replica', strategy('0', '99%', 1), ['UpdateWithoutSurge', /no pod serves/]],
  ['a percentage that comes to a pod', strategy('0', '25%', 4)],
  ['a surge is rounded up', strategy('1%', '0')],
  ['the default', { yaml: deployment('', 'replicas: 3') }],
  ['nothing that moves', { ...strategy('0', '25%'), live: { 'Deployment/web': complete(deployment(''), 3) } }],
  [
    'an update',
    {
      ...strategy('0', '25%'),
      live: { 'Deployment/web': complete(deployment(''), 3) },
      changes: { 'Deployment/web': NEW_TEMPLATE },
    },
    ['UpdateWithoutSurge', /maxSurge 1/],
  ],
]);
