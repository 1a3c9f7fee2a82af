import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { app, documents, type GateRun, gate, inNamespace, kubectl, REGISTRY, skip, startGate } from './cluster.ts';
import { expectBack, imageOf, readState } from './namespace-state.ts';
import { type Admit, openRelay, openUpstream, type Relay, type Upstream } from './relay.ts';
import { userWith } from './told.ts';

const BACK = { 'stable-for': '1s', 'on-stall': 'rollback' } as const;
const BAD = { container: { image: `${REGISTRY}/App:Nope` } };

function object(kind: string, name: string, namespace: string, more: object): string {
  return JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace }, ...more });
}

function good(namespace: string): string {
  return documents(
    object('ConfigMap', 'settings', namespace, { data: { MODE: 'good' } }),
    object('Secret', 'password', namespace, { stringData: { PASSWORD: 'old' } }),
    app(namespace),
  );
}

function bad(namespace: string): string {
  return documents(
    object('ConfigMap', 'settings', namespace, { data: { MODE: 'bad', MORE: 'yes' } }),
    object('Secret', 'password', namespace, { stringData: { PASSWORD: 'new' } }),
    object('ConfigMap', 'extra', namespace, { data: { made: 'by this run' } }),
    app(namespace, BAD),
  );
}

async function deployed(manifest: string, inputs: Readonly<Record<string, string>> = BACK): Promise<void> {
  const run = await gate(manifest, inputs);
  assert.equal(run.outputs['verdict'], 'succeeded', run.log);
}

function expectOutcome(run: GateRun, verdict: string, outcome: string): void {
  assert.deepEqual([run.outputs['verdict'], run.outputs['rollback'], run.code], [verdict, outcome, 1], run.log);
}

let upstream: Upstream;

async function through(admit: Admit, body: (relay: Relay) => Promise<void>): Promise<void> {
  const relay = await openRelay(upstream, null, admit);
  try {
    await body(relay);
  } finally {
    relay.close();
  }
}

/** True from the first request of the rollback on: the rehearsal of its first step. */
function rollbackBegins(): (contentType: string) => boolean {
  let begun = false;
  return (contentType) => {
    begun ||= contentType === 'application/json-patch+json';
    return begun;
  };
}

/**
 * A bad deploy on a good one, killed when the rollback asks for the `nth` time; the request does not go on.
 *
 * @returns how often it asked; the whole rollback if that is less than `nth`
 */
async function killedAt(nth: number, namespace: string): Promise<number> {
  let asked = 0;
  let kill = () => {};
  const begun = rollbackBegins();
  const admit: Admit = ({ contentType }) => {
    if (!begun(contentType)) return true;
    asked += 1;
    if (asked === nth) kill();
    return asked < nth;
  };
  await through(admit, async ({ kubeconfig }) => {
    const running = await startGate(bad(namespace), { ...BACK, kubeconfig });
    kill = () => running.kill('SIGKILL');
    await running.result.catch(() => undefined);
  });
  return asked;
}

async function convergesAfter(nth: number, namespace: string): Promise<number> {
  await deployed(good(namespace));
  const was = await readState(namespace);
  const asked = await killedAt(nth, namespace);
  const again = await gate(bad(namespace), BACK);
  expectOutcome(again, 'stalled', 'rolled-back');
  await expectBack(namespace, was, good(namespace));
  return asked;
}

/** The files that a run has left so far, by name. */
function evidence(temp: string): ReadonlyMap<string, string> {
  const [folder = ''] = readdirSync(temp);
  const names = readdirSync(path.join(temp, folder));
  return new Map(names.map((name) => [name, readFileSync(path.join(temp, folder, name), 'utf8')]));
}

/** The rules of the Roles in docs/rights.md but what `without` names. */
async function documentedRules(without: string): Promise<readonly object[]> {
  const docs = await readFile(path.resolve(import.meta.dirname, '../../docs/rights.md'), 'utf8');
  const blocks = [...docs.matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap((match) => loadAll(match[1] ?? ''));
  const roles = blocks as readonly {
    readonly kind: string;
    readonly rules: readonly { readonly resources: readonly string[] }[];
  }[];
  const rules = roles.filter(({ kind }) => kind === 'Role').flatMap((role) => role.rules);
  return rules.filter(({ resources }) => !resources.includes(without));
}

const tests: Readonly<Record<string, (namespace: string) => Promise<void>>> = {
  'a StatefulSet that its failed pod holds up ends as failed, with the command that frees it': async (namespace) => {
    const set = (overrides: object) => {
      const { spec, ...rest } = JSON.parse(app(namespace, overrides)) as { readonly spec: object };
      return JSON.stringify({ ...rest, kind: 'StatefulSet', spec: { ...spec, serviceName: 'web' } });
    };
    await deployed(set({}));
    const run = await gate(set(BAD), BACK);
    expectOutcome(run, 'stalled', 'failed');
    const command = `kubectl delete pod web-0 -n ${namespace}`;
    assert.ok(run.report.rollback?.reason.includes(command), run.report.rollback?.reason);
    assert.ok(run.summary.includes(command), run.summary);
    assert.match(await imageOf(namespace, 'statefulset/web'), /app:v1$/);
    await kubectl(['delete', 'pod', 'web-0', '-n', namespace]);
    await kubectl(['rollout', 'status', 'statefulset/web', '-n', namespace, '--timeout=60s']);
  },

  'without rights on Secrets it goes to the state before this run, and says that there is no ledger': async (
    namespace,
  ) => {
    const kubeconfig = await userWith(await documentedRules('secrets'), namespace);
    const own = { ...BACK, kubeconfig };
    const all = (mode: string, shape: object = {}) =>
      documents(object('ConfigMap', 'settings', namespace, { data: { MODE: mode } }), app(namespace, shape));
    await deployed(all('good'), own);
    const was = await readState(namespace);
    const run = await gate(all('bad', BAD), own);
    expectOutcome(run, 'stalled', 'rolled-back');
    assert.match(run.log, /ledger/);
    assert.match(run.report.rollback?.target ?? '', /before this run/);
    await expectBack(namespace, was, all('good'));
  },

  'what was applied before the server refused the rest is taken back': async (namespace) => {
    await deployed(good(namespace));
    const was = await readState(namespace);
    const hard = { spec: { hard: { 'count/configmaps': '4' } } };
    await kubectl(['apply', '-f', '-'], object('ResourceQuota', 'few', namespace, hard));
    await kubectl(['wait', 'resourcequota/few', '-n', namespace, '--for=jsonpath={.status.used}', '--timeout=30s']);
    const more = Array.from({ length: 4 }, (_, nth) => object('ConfigMap', `extra-${nth}`, namespace, {}));
    const run = await gate(documents(bad(namespace), ...more), BACK);
    expectOutcome(run, run.outputs['verdict'] ?? '', 'rolled-back');
    assert.match(run.log, /exceeded quota: few/);
    await expectBack(namespace, was, good(namespace));
  },

  'an API server that cannot be reached for twenty seconds in the middle delays the rollback': async (namespace) => {
    await deployed(good(namespace));
    const was = await readState(namespace);
    const begun = rollbackBegins();
    let until = 0;
    let refused = 0;
    const admit: Admit = ({ contentType, path: asked }) => {
      if (begun(contentType) && !asked.includes('dryRun') && contentType !== '') until ||= Date.now() + 20_000;
      const admitted = Date.now() > until;
      if (!admitted) refused += 1;
      return admitted;
    };
    await through(admit, async ({ kubeconfig }) => {
      expectOutcome(await gate(bad(namespace), { ...BACK, kubeconfig }), 'stalled', 'rolled-back');
    });
    assert.ok(refused > 1, `${refused} requests met no server`);
    await expectBack(namespace, was, good(namespace));
  },

  'a rollback that stalls as well ends as failed with both causes, and is not tried again': async (namespace) => {
    const recreate = { spec: { strategy: { type: 'Recreate' } } };
    const needs = { envFrom: [{ secretRef: { name: 'elsewhere' } }] };
    await kubectl(['create', 'secret', 'generic', 'elsewhere', '-n', namespace]);
    await deployed(app(namespace, { ...recreate, container: needs }));
    await kubectl(['delete', 'secret', 'elsewhere', '-n', namespace]);
    const run = await gate(app(namespace, { ...recreate, ...BAD }), BACK);
    expectOutcome(run, 'stalled', 'failed');
    assert.equal(run.outputs['cause'], 'ImageNameInvalid');
    assert.match(
      run.report.rollback?.reason ?? '',
      /did not become ready again: .*Secret "?elsewhere"?.*not tried again/,
    );
    assert.match(run.summary, /ImageNameInvalid[\s\S]*elsewhere/);
    assert.match(await imageOf(namespace, 'deployment/web'), /app:v1$/);
  },

  'a change of somebody else while it goes on ends it, and stays': async (namespace) => {
    await deployed(good(namespace));
    let isChanged = false;
    const theirs = ['patch', 'secret/password', '-n', namespace, '-p', '{"stringData":{"PASSWORD":"theirs"}}'];
    const admit: Admit = ({ contentType, path: asked }) => {
      const isStep = contentType === 'application/json-patch+json' && !asked.includes('dryRun');
      if (isStep && asked.includes('/secrets/password') && !isChanged) {
        isChanged = true;
        execFileSync('kubectl', theirs);
      }
      return true;
    };
    await through(admit, async ({ kubeconfig }) => {
      const run = await gate(bad(namespace), { ...BACK, kubeconfig });
      expectOutcome(run, 'stalled', 'failed');
      assert.match(run.report.rollback?.reason ?? '', /Secret\/password.*kubectl-patch/);
      const left = run.report.rollback?.objects.map(({ kind, name, action }) => `${kind}/${name} ${action}`);
      assert.deepEqual(left, [
        'ConfigMap/settings restored',
        'Secret/password left',
        'Deployment/web left',
        'ConfigMap/extra left',
      ]);
    });
  },

  'before it asks the server for anything, what was seen is on disk': async (namespace) => {
    await deployed(good(namespace));
    let temp = '';
    let seen: ReadonlyMap<string, string> | null = null;
    const admit: Admit = ({ contentType }) => {
      if (contentType === 'application/json-patch+json') seen ??= evidence(temp);
      return true;
    };
    await through(admit, async ({ kubeconfig }) => {
      const running = await startGate(bad(namespace), { ...BACK, kubeconfig });
      temp = running.temp;
      expectOutcome(await running.result, 'stalled', 'rolled-back');
    });
    const kept = seen ?? new Map<string, string>();
    assert.match(kept.get('report.json') ?? '', /ImageNameInvalid/);
    assert.match(kept.get('summary.md') ?? '', /Stalled: ImageNameInvalid/);
    assert.match(kept.get('recording.ndjson') ?? '', /InvalidImageName/);
  },

  'killed at any of its requests, the same run again converges': async (namespace) => {
    const whole = await convergesAfter(Number.POSITIVE_INFINITY, namespace);
    assert.ok(whole > 8, `${whole} requests`);
    const left = Array.from({ length: whole }, (_, index) => index + 1);
    const worker = async () => {
      for (let nth = left.shift(); nth !== undefined; nth = left.shift()) {
        const at = nth;
        await inNamespace(`cut-at-${at}`, async (own) => {
          await convergesAfter(at, own);
        }).catch((cause: unknown) => {
          throw new Error(`killed at request ${at} of ${whole}`, { cause });
        });
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  },
};

describe('a rollback that is cut short', { skip, concurrency: 3 }, () => {
  before(async () => {
    upstream = await openUpstream();
  });
  after(() => upstream.close());
  for (const [index, [name, body]] of Object.entries(tests).entries())
    test(name, { timeout: 600_000 }, () => inNamespace(`cut-${index}`, body));
});
