import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { planRollback, type Surveyed, wantedOf } from '../../src/rollback/plan.ts';
import { applied, configMap, deployment, surveyed } from './scenes.ts';

const web = (seen: Partial<Surveyed> = {}) => surveyed(applied(deployment('app:v1'), deployment('app:v2', 1)), seen);
const settings = (seen: Partial<Surveyed> = {}) =>
  surveyed(applied(configMap('settings', { a: '1' }), configMap('settings', { a: '2' })), seen);
const extra = (seen: Partial<Surveyed> = {}) => surveyed(applied(null, configMap('extra', { a: '1' })), seen);

function stepsOf(all: readonly Surveyed[]): readonly string[] {
  const plan = planRollback(all);
  assert.equal(plan.outcome, 'go', JSON.stringify(plan));
  return plan.outcome === 'go' ? plan.steps.map((step) => `${step.action} ${step.object.applied.ref.name}`) : [];
}

function refusal(all: readonly Surveyed[]): string {
  const plan = planRollback(all);
  assert.equal(plan.outcome, 'refused');
  return plan.outcome === 'refused' ? plan.reason : '';
}

test('configuration is restored before the workload that reads it, and what was created goes last', () => {
  assert.deepEqual(stepsOf([extra(), settings(), web()]), ['restore settings', 'restore web', 'delete extra']);
});

test('a run that only created has nothing to go back to', () => {
  assert.equal(planRollback([extra()]).outcome, 'none');
  assert.equal(planRollback([]).outcome, 'none');
});

test('a workload that was not ready before refuses the whole, with a command to go on by hand', () => {
  const broken = surveyed(applied(deployment('app:v0', 1), deployment('app:v2', 1)));
  assert.match(refusal([settings(), broken]), /was not ready before.*readyReplicas was 1 of 2.*kubectl rollout undo/);
});

test('the change of somebody else refuses the whole, and names who and what', () => {
  const live = deployment('app:v9', 1);
  const managedFields = [{ manager: 'kubectl-set', operation: 'Update' }];
  const theirs = { ...live, metadata: { ...live.metadata, managedFields } };
  assert.match(refusal([settings(), web({ live: theirs })]), /Deployment\/web was changed by "kubectl-set".*image/);
  assert.match(refusal([web({ live: null })]), /deleted by somebody else/);
});

test('what controllers note down and report is nobody’s change', () => {
  const live = deployment('app:v2', 0);
  const annotations = { 'deployment.kubernetes.io/revision': '4' };
  assert.deepEqual(stepsOf([web({ live: { ...live, metadata: { ...live.metadata, annotations } } })]), ['restore web']);
});

test('replicas are the autoscaler’s: no foreign change, and not restored', () => {
  const live = deployment('app:v2', 1, 5);
  for (const autoscaled of ['yes', 'unknown'] as const) {
    const object = web({ live, autoscaled });
    assert.deepEqual(stepsOf([object]), ['restore web']);
    const wanted = wantedOf(object, deployment('app:v1'), live)['spec'] as { readonly replicas: number };
    assert.equal(wanted.replicas, 5);
  }
  assert.match(refusal([web({ live })]), /spec\.replicas/);
});

test('data, custom resources and what others use stay', () => {
  const made = (apiVersion: string, kind: string) =>
    surveyed(applied(null, { ...configMap(kind.toLowerCase(), {}), apiVersion, kind }));
  const kept = [
    made('v1', 'Namespace'),
    made('v1', 'PersistentVolumeClaim'),
    made('example.com/v1', 'Widget'),
    extra({ usedBy: 'Deployment/other' }),
  ];
  assert.deepEqual(stepsOf([...kept, settings()]), ['restore settings']);
});

test('property: nothing foreign is ever overwritten, nothing is deleted that the run did not create', () => {
  const scene = fc.array(
    fc.record({ created: fc.boolean(), foreign: fc.constantFrom('no', 'no', 'no', 'changed', 'anew', 'gone') }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(scene, (objects) => {
      const all = objects.map(({ created, foreign }, index) => {
        const after = configMap(`c${index}`, { a: '2' });
        const lives: Readonly<Record<string, KubernetesObject | null>> = {
          no: after,
          changed: { ...after, data: { a: '3' } },
          anew: { ...after, metadata: { ...after.metadata, uid: 'another' } },
          gone: null,
        };
        return surveyed(applied(created ? null : configMap(`c${index}`, { a: '1' }), after), {
          live: lives[foreign] ?? null,
        });
      });
      const plan = planRollback(all);
      if (plan.outcome !== 'go') return;
      for (const { object, action } of plan.steps) {
        assert.deepEqual(object.live, object.applied.after);
        assert.equal(action, object.applied.before === null ? 'delete' : 'restore');
      }
      assert.ok(objects.every(({ foreign, created }) => foreign === 'no' || (foreign === 'gone' && created)));
    }),
  );
});
