import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Applied } from '../../src/apply/applied.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { recordProof } from '../../src/ledger/prove.ts';
import { finishInterrupted } from '../../src/rollback/interrupted.ts';
import { type Outcome, rollBack } from '../../src/rollback/rollback.ts';
import { asked, createTinyCluster, Killed, keyOf, type TinyCluster } from './tiny-cluster.ts';

const MANAGER = 'rollout-gate';
const LEDGER = 'rollout-gate-ledger';

type Step =
  | {
      readonly do: 'deploy';
      readonly good: boolean;
      readonly extra: boolean;
      readonly rollback: boolean;
      readonly killAt: number;
    }
  | { readonly do: 'edit'; readonly object: 'ConfigMap/settings' | 'Deployment/web' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('deploy' as const),
      good: fc.boolean(),
      extra: fc.boolean(),
      rollback: fc.boolean(),
      killAt: fc.oneof(
        { weight: 2, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      object: fc.constantFrom('ConfigMap/settings' as const, 'Deployment/web' as const),
    }),
  },
);

function manifest(
  number: number,
  { good, extra }: { readonly good: boolean; readonly extra: boolean },
): readonly KubernetesObject[] {
  const metadata = (name: string) => ({ name, namespace: 'shop' });
  const config = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(name),
    data: { number: `${number}` },
  });
  const image = `${good ? 'good' : 'bad'}-${number}`;
  const web = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata('web'),
    spec: { replicas: 1, template: { image } },
  };
  return [config('settings'), ...(extra ? [config(`extra-${number}`)] : []), web];
}

/** One run of the gate, as `gate.ts` has it: finish what is open, apply, and prove or roll back. null: it was killed. */
async function run(
  cluster: TinyCluster,
  documents: readonly KubernetesObject[],
  rollback: boolean,
  killAt: number,
  name: string,
) {
  const outside = { api: cluster.api, ledger: LEDGER, run: name, fieldManager: MANAGER };
  let applied: readonly Applied[] = [];
  cluster.killAt(killAt);
  try {
    if (rollback) await finishInterrupted(['shop'], outside);
    applied = cluster.apply(documents, MANAGER);
    if (cluster.isReady()) {
      if (rollback) await recordProof(applied, { api: cluster.api, name: LEDGER, run: name });
      return { applied, outcome: null };
    }
    if (!rollback) return { applied, outcome: null };
    const follow = async () => (cluster.isReady() ? '' : 'not ready');
    const nothing = () => undefined;
    const outcome: Outcome = await rollBack(applied, {
      ...outside,
      unstick: false,
      follow,
      tell: nothing,
      notice: nothing,
    });
    return { applied, outcome };
  } catch (error) {
    if (error instanceof Killed) return { applied, outcome: 'killed' as const };
    throw error;
  } finally {
    cluster.killAt(0);
  }
}

function mark(cluster: TinyCluster, object: string): string | undefined {
  return cluster.objects.get(object)?.metadata.annotations?.['theirs'];
}

test('whatever happens in whatever order: nothing unproven, nothing of others lost, nothing deleted that was not made, and a retry converges', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), async (steps) => {
      const cluster = createTinyCluster();
      const edits = new Map<string, string>();
      for (const [number, each] of steps.entries()) {
        if (each.do === 'edit') {
          if (!cluster.objects.has(each.object)) continue;
          edits.set(each.object, `${number}`);
          cluster.edit(each.object, { metadata: { annotations: { theirs: `${number}` } } });
          continue;
        }
        const before = new Set(cluster.objects.keys());
        const documents = manifest(number, each);
        const first = await run(cluster, documents, each.rollback, each.killAt, `run ${number}`);
        // A killed run is started again, as it was.
        const { outcome } =
          first.outcome === 'killed' ? await run(cluster, documents, each.rollback, 0, `run ${number}, again`) : first;
        assert.notEqual(outcome, 'killed');
        if (outcome !== null && outcome !== 'killed' && outcome.outcome === 'rolled-back') {
          const web = cluster.objects.get('Deployment/web');
          assert.match(JSON.stringify(web?.['spec']), /"image":"good-/, 'went back to what never worked');
          const settings = cluster.objects.get('ConfigMap/settings') as
            | { readonly data?: { readonly number: string } }
            | undefined;
          assert.match(JSON.stringify(web?.['spec']), new RegExp(`-${settings?.data?.number}"`), 'of two states');
          assert.equal(cluster.objects.has(`ConfigMap/extra-${number}`), false, 'left what it had made');
        }
        for (const [object, value] of edits)
          assert.equal(mark(cluster, object), value, `${object}: lost what others changed`);
        for (const key of before) assert.ok(cluster.objects.has(key), `${key} was deleted`);
      }
    }),
    { numRuns: 400 },
  );
});

test('a rollback that dies at any moment, and is started again, ends where one that lives does', async () => {
  const story = async (killAt: number) => {
    const cluster = createTinyCluster();
    const good = { good: true, extra: false };
    await run(cluster, manifest(0, good), true, 0, 'run 0');
    const owners = [...cluster.objects.values()].map((each) => [keyOf(each), owning(each)]);
    await run(cluster, manifest(1, { good: false, extra: false }), false, 0, 'run 1');
    const bad = manifest(2, { good: false, extra: true });
    const first = await run(cluster, bad, true, killAt, 'run 2');
    const last = first.outcome === 'killed' ? await run(cluster, bad, true, 0, 'run 2, again') : first;
    const objects = [...cluster.objects.values()].filter((each) => each.kind !== 'Secret').map(asked);
    return { killed: first.outcome === 'killed', outcome: last.outcome, objects, owners, now: cluster };
  };
  const whole = await story(0);
  let moments = 0;
  for (let killAt = 1; ; killAt += 1) {
    const one = await story(killAt);
    if (!one.killed) break;
    moments += 1;
    assert.equal(
      one.outcome !== null && one.outcome !== 'killed' && one.outcome.outcome,
      'rolled-back',
      `killed at ${killAt}: ${JSON.stringify(one.outcome)}`,
    );
    assert.deepEqual(one.objects, whole.objects, `killed at ${killAt}`);
    for (const [key, owner] of one.owners.filter(([each]) => !String(each).startsWith('Secret')))
      assert.deepEqual(
        owning(one.now.objects.get(String(key)) as KubernetesObject),
        owner,
        `${key}, killed at ${killAt}`,
      );
  }
  assert.ok(moments > 20, `${moments}`);
});

test('a rollback of which any one answer is lost, and the request sent again, ends as if it had not been', async () => {
  const story = async (lost: number) => {
    const cluster = createTinyCluster();
    await run(cluster, manifest(0, { good: true, extra: false }), true, 0, 'run 0');
    cluster.loseAnswer(lost);
    const { outcome } = await run(cluster, manifest(1, { good: false, extra: true }).map(noted), true, 0, 'run 1');
    const objects = [...cluster.objects.values()].filter((each) => each.kind !== 'Secret');
    return { outcome, objects: objects.map((each) => [asked(each), owning(each)]) };
  };
  const whole = await story(0);
  for (let lost = 1; lost <= 12; lost += 1) assert.deepEqual(await story(lost), whole, `answer ${lost}`);
});

/** To take back a note where none was before is to remove what a second time is not there. */
function noted(object: KubernetesObject): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, annotations: { note: 'new' } } };
}

function owning({ metadata }: KubernetesObject): readonly string[] {
  return (metadata.managedFields ?? [])
    .filter((each) => each.manager !== LEDGER)
    .map(({ manager, operation }) => `${manager} ${operation}`);
}
