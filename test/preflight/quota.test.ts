import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Demand, usageOf } from '../../src/preflight/demand.ts';
import { cluster, complete, deployment, NEW_TEMPLATE, type Situation } from './scenes.ts';
import { table } from './table.ts';

const NEEDS = 'resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 200m, memory: 64Mi}}';

function quota(hard: Readonly<Record<string, string>>, used: Readonly<Record<string, string>>, spec: object = {}) {
  return { metadata: { name: 'compute' }, spec: { hard, ...spec }, status: { hard, used } };
}

/** An update of a complete Deployment of two replicas that use all they need. */
function update(strategy: string, hard: string, used = '2', name = 'pods'): Situation {
  const yaml = deployment(NEEDS, `replicas: 2\n  strategy: ${strategy}`);
  return {
    yaml,
    live: { 'Deployment/web': complete(yaml, 2) },
    changes: { 'Deployment/web': NEW_TEMPLATE },
    answer: cluster({ quotas: [quota({ [name]: hard }, { [name]: used })] }),
  };
}

function creation(replicas: number, hard: string, used: string, resource = 'pods', extra: object = {}): Situation {
  return {
    yaml: deployment(NEEDS, `replicas: ${replicas}`),
    answer: cluster({ quotas: [quota({ [resource]: hard }, { [resource]: used }, extra)] }),
  };
}

const SURGE = '{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}';
const MIXED = '{rollingUpdate: {maxSurge: 50%, maxUnavailable: 1}}';

table('quota', [
  [
    'no room for the surge, and no old pod may leave',
    update(SURGE, '2'),
    ['QuotaExceeded', /needs 3 pods .*cannot begin/],
  ],
  ['room for the surge', update(SURGE, '3')],
  ['no room for the surge, but old pods may leave', update(MIXED, '2'), ['QuotaExceeded', /slower than it says/]],
  ['no surge', update('{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}', '2')],
  ['all old pods leave first', update('{type: Recreate}', '2')],
  ['others use the room', update(SURGE, '4', '4'), ['QuotaExceeded', /needs 5 pods/]],
  ['limits', update(SURGE, '500m', '400m', 'limits.cpu'), ['QuotaExceeded', /600m of limits\.cpu/]],
  ['limits with room', update(SURGE, '600m', '400m', 'limits.cpu')],
  ['nothing that moves', { ...update(SURGE, '2'), changes: {} }],
  [
    'more replicas than can ever fit',
    creation(3, '2', '0'),
    ['QuotaExceeded', /no room for 3 pods, even with the old ones gone/],
  ],
  ['as many as fit: nothing surges over a creation', creation(2, '2', '0')],
  ['cpu, as the quota calls it', creation(3, '250m', '0', 'cpu'), ['QuotaExceeded', /300m of cpu \(100m each\)/]],
  ['memory that fits', creation(3, '192Mi', '0', 'requests.memory')],
  ['a quota of other things', creation(3, '1', '1', 'count/configmaps')],
  ['a quota with a scope', creation(3, '2', '0', 'pods', { scopes: ['BestEffort'] })],
  ['quotas that may not be read', { yaml: deployment(NEEDS, 'replicas: 9'), answer: cluster({ quotas: null }) }],
  [
    'room for each of two, not for both',
    {
      yaml: `${deployment(NEEDS, 'replicas: 2')}---\n${deployment(NEEDS, 'replicas: 2', '', 'api')}`,
      answer: cluster({ quotas: [quota({ pods: '3' }, { pods: '0' })] }),
    },
    ['QuotaExceeded', /not for all of Deployment\/web, Deployment\/api: .*need 4 pods, and 3 is the limit/],
  ],
  [
    'a quota that the same manifest raises',
    {
      ...update(SURGE, '2'),
      yaml: `${deployment(NEEDS, `replicas: 2\n  strategy: ${SURGE}`)}---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: compute}\nspec: {hard: {pods: 3}}`,
      live: {
        'Deployment/web': complete(deployment(NEEDS), 2),
        'ResourceQuota/compute': { apiVersion: 'v1', kind: 'ResourceQuota', ...quota({ pods: '2' }, { pods: '2' }) },
      },
    },
  ],
  [
    'a namespace that the manifest creates, with its quota',
    {
      yaml: `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: own}\nspec: {hard: {pods: 1}}\n---\n${deployment(NEEDS, 'replicas: 2')}`,
      answer: (lookup) =>
        'namespace' in lookup ? assert.fail('nothing of a new namespace is read') : cluster()(lookup),
    },
    ['QuotaExceeded', /ResourceQuota "own"/],
  ],
]);

const HARD = { quotas: [quota({ 'limits.memory': '9Gi', 'requests.cpu': '9' }, {})] };
const DEFAULTS = [
  {
    metadata: { name: 'd' },
    spec: { limits: [{ type: 'Container', default: { memory: '1Gi' }, defaultRequest: { cpu: '1' } }] },
  },
];

table('what a quota demands', [
  [
    'a container that says nothing',
    { yaml: deployment(''), answer: cluster(HARD) },
    ['QuotaExceeded', /container "app" does not say its limits\.memory, requests\.cpu/],
  ],
  ['a container that says all', { yaml: deployment(NEEDS), answer: cluster(HARD) }],
  [
    'limits stand in for requests',
    { yaml: deployment('resources: {limits: {cpu: 1, memory: 1Gi}}'), answer: cluster(HARD) },
  ],
  ['a LimitRange gives defaults', { yaml: deployment(''), answer: cluster({ ...HARD, 'limit-ranges': DEFAULTS }) }],
  ['limit ranges that may not be read', { yaml: deployment(''), answer: cluster({ ...HARD, 'limit-ranges': null }) }],
  [
    'an init container counts',
    { yaml: deployment(NEEDS, '', 'initContainers: [{name: setup, image: s}]'), answer: cluster(HARD) },
    ['QuotaExceeded', /init container "setup"/],
  ],
  [
    'the defaults count: nine of a gibibyte fit, ten do not',
    { yaml: deployment('', 'replicas: 10'), answer: cluster({ ...HARD, 'limit-ranges': DEFAULTS }) },
    ['QuotaExceeded', /10Gi of limits\.memory/],
    ['QuotaExceeded', /10 of requests\.cpu/],
  ],
]);

test('the peak is never below what is there at the beginning of an update, nor below what is there at its end', () => {
  const counts = fc.nat({ max: 50 });
  fc.assert(
    fc.property(counts, counts, counts, counts, counts, (current, replicas, surge, before, after) => {
      const demand = { current, replicas, surge } as Demand;
      const usage = usageOf(demand, { old: before, new: after });
      assert.equal(usage.final, replicas * after);
      assert.equal(usage.now, current * before);
      assert.ok(usage.peak >= usage.final);
      if (surge > 0) assert.ok(usage.peak >= usage.now);
      const pods = Math.max(current, replicas + surge);
      assert.ok(usage.peak <= pods * Math.max(before, after));
    }),
  );
});
