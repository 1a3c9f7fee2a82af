import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fault, LocalGitHub, Request } from '../github/server.ts';
import { app, documents, type GateRun, gate, inNamespace, kubectl, REGISTRY, skip } from './cluster.ts';
import { HEAD, LINK, live, shown, soon, startTold, TOKEN, told, userWith, warningsOf, withGitHub } from './told.ts';

/** Becomes ready only after all that happens meanwhile. */
const SLOW = { container: { env: [{ name: 'READY_AFTER', value: '60' }] } };
const SECRET = 'correct-horse-battery-staple';

function image(tag: string) {
  return { image: `${REGISTRY}/${tag}` };
}

/** A Deployment over several lines, its image on the last. */
function overLines(namespace: string, tag: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: ${namespace} }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: app
          image: ${REGISTRY}/${tag}`;
}

function object(kind: string, name: string, namespace: string, content: object): string {
  return JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace }, ...content });
}

/** What came of a run, without what differs between two runs. */
function verdictOf({ code, outputs }: GateRun): object {
  const { verdict, cause, reason, ready, rollback } = outputs;
  return { code, verdict, cause, reason, ready, rollback };
}

/** A run whose step is killed when it follows the rollout; then the step after the job. */
async function killedAndTold(hub: LocalGitHub, namespace: string, remembers: boolean): Promise<void> {
  const manifest = app(namespace, SLOW);
  const running = await startTold(hub, manifest);
  await running.logged(/0\/1 ready/);
  await soon(() => hub.kept.checkRuns.size === 1 && hub.kept.deployments.size === 1, 'told from the beginning');
  running.kill('SIGKILL');
  await assert.rejects(running.result, /left no report/);
  const state = await running.state();
  assert.equal('STATE_check-run' in state && 'STATE_deployment' in state, remembers, JSON.stringify(state));
  assert.deepEqual(shown(hub).check, ['in_progress', undefined]);
  const after = await told(hub, manifest, {}, state);
  assert.deepEqual([after.report.verdict, warningsOf(after)], ['cancelled', []], after.log);
  const { check, statuses, deployment, comments } = shown(hub);
  assert.deepEqual(check, ['completed', 'cancelled']);
  assert.deepEqual([statuses.at(-1), deployment.at(-1), comments], ['error', 'error', []]);
}

/** The first check run and the first deployment are made, and nobody hears of it. */
function answersNobody({ name, nth }: Request): Fault | null {
  const isMade = name.startsWith('POST') && /(check-runs|deployments)$/.test(name) && nth === 0;
  return isMade ? { status: 200, isDone: true, delayMs: 60_000 } : null;
}

/** The same stall with GitHub as it is told to be. @returns the warnings about it */
async function stallWhere(fault: Fault, manifest: string, without: GateRun): Promise<readonly string[]> {
  let warnings: readonly string[] = [];
  await withGitHub(
    async (hub) => {
      const run = await told(hub, manifest);
      assert.deepEqual(verdictOf(run), verdictOf(without), run.log);
      warnings = warningsOf(run);
    },
    () => fault,
  );
  return warnings;
}

const tests: Readonly<Record<string, (namespace: string) => Promise<void>>> = {
  'where GitHub is down the run is what it is without, and says so once for each input': async (namespace) => {
    const manifest = app(namespace, { container: image('App:Nope') });
    const without = await gate(manifest, { 'stable-for': '1s' });
    assert.deepEqual([without.code, without.outputs['cause']], [1, 'ImageNameInvalid'], without.log);
    const [down, refused] = await Promise.all([
      stallWhere({ status: 502, message: 'Bad Gateway' }, manifest, without),
      stallWhere({ status: 403, message: 'Resource not accessible by integration' }, manifest, without),
    ]);
    const inputs = {
      'check-run': 'checks',
      'commit-status': 'statuses',
      comment: 'pull-requests',
      environment: 'deployments',
    };
    assert.deepEqual([down.length, refused.length], [4, 4], [...down, ...refused].join('\n'));
    for (const [input, permission] of Object.entries(inputs)) {
      assert.equal(down.filter((each) => each.startsWith(`${input}: `) && each.includes('502')).length, 1, input);
      const named = refused.filter((each) => each.startsWith(`${input}: `));
      assert.equal(named.length, 1, input);
      assert.match(named[0] ?? '', new RegExp(`"${permission}: write"`));
    }
  },

  'a success is told from its beginning, and no comment is made of it': (namespace) =>
    withGitHub(async (hub) => {
      const running = await startTold(hub, app(namespace));
      await soon(() => hub.kept.checkRuns.size === 1 && hub.kept.deployments.size === 1, 'told from the beginning');
      assert.deepEqual(shown(hub).check, ['in_progress', undefined]);
      const run = await running.result;
      assert.deepEqual([run.code, run.outputs['verdict'], warningsOf(run)], [0, 'succeeded', []], run.log);
      const { check, head, title, description, annotations, statuses, deployment, logUrls, comments } = shown(hub);
      assert.deepEqual([check, head], [['completed', 'success'], HEAD]);
      assert.match(title, /^Rolled out.*1\/1 ready/);
      assert.ok(description !== '' && description.length <= 140, description);
      assert.deepEqual(statuses, ['pending', 'success']);
      assert.deepEqual(
        [deployment, logUrls],
        [
          ['in_progress', 'success'],
          [LINK, LINK],
        ],
      );
      assert.deepEqual([comments, annotations], [[], []], 'a green deploy is quiet');
      assert.ok(!run.log.replace(`::add-mask::${TOKEN}`, '').includes(TOKEN), 'the token stands in the log');
    }),

  'a stall is told by its cause and on its line; the next run changes its comment, a good one turns it green': (
    namespace,
  ) =>
    withGitHub(async (hub) => {
      const bad = overLines(namespace, 'App:Nope');
      const run = await told(hub, bad);
      assert.deepEqual([run.code, run.outputs['cause'], warningsOf(run)], [1, 'ImageNameInvalid', []], run.log);
      const { check, title, summary, description, annotations, statuses, deployment, comments } = shown(hub);
      assert.deepEqual(check, ['completed', 'failure']);
      assert.equal(title, 'Stalled: ImageNameInvalid, 0/1 ready');
      assert.match(summary, /ImageNameInvalid[\s\S]*App:Nope/);
      const places = annotations.map((each) => [each.path, each.start_line, each.annotation_level]);
      assert.deepEqual(places, [['manifest.yaml', bad.split('\n').length, 'failure']]);
      assert.match(description, /^ImageNameInvalid: Deployment\/web/);
      assert.ok(description.length <= 140, description);
      assert.deepEqual([statuses.at(-1), deployment], ['failure', ['in_progress', 'failure']]);
      assert.match(comments.join('\n'), /ImageNameInvalid[\s\S]*runs\/42/);
      assert.equal((await told(hub, bad, {}, { GITHUB_RUN_ID: '43' })).code, 1);
      const [again, ...more] = [...hub.kept.comments.values()].map(({ body }) => body);
      assert.deepEqual(more, [], 'changed in place');
      assert.match(again ?? '', /ImageNameInvalid[\s\S]*runs\/43/);
      assert.equal((await told(hub, overLines(namespace, 'app:v1'), {}, { GITHUB_RUN_ID: '44' })).code, 0);
      const [green, ...others] = [...hub.kept.comments.values()].map(({ body }) => body);
      assert.deepEqual(others, []);
      assert.match(green ?? '', /✅[\s\S]*runs\/44/);
      assert.doesNotMatch(green ?? '', /ImageNameInvalid/);
    }),

  'a run that the runner ends leaves nothing in progress': (namespace) =>
    withGitHub(async (hub) => {
      const running = await startTold(hub, app(namespace, SLOW));
      await running.logged(/0\/1 ready/);
      running.kill('SIGINT');
      const run = await running.result;
      assert.deepEqual([run.code, run.outputs['verdict'], warningsOf(run)], [0, 'cancelled', []], run.log);
      const { check, statuses, deployment, comments } = shown(hub);
      assert.deepEqual([check, comments], [['completed', 'cancelled'], []]);
      assert.deepEqual(
        [statuses, deployment],
        [
          ['pending', 'error'],
          ['in_progress', 'error'],
        ],
      );
    }),

  'what a killed step began is completed after the job': (namespace) =>
    withGitHub((hub) => killedAndTold(hub, namespace, true)),

  'and so is what it never heard of': (namespace) =>
    withGitHub((hub) => killedAndTold(hub, namespace, false), answersNobody),

  'a rollout that somebody else took over is neutral, and its deployment inactive': (namespace) =>
    withGitHub(async (hub) => {
      const running = await startTold(hub, app(namespace, SLOW));
      await running.logged(/0\/1 ready/);
      await kubectl(['set', 'image', 'deployment/web', `app=${REGISTRY}/app:v2`, '-n', namespace]);
      const run = await running.result;
      assert.deepEqual([run.code, run.outputs['verdict'], warningsOf(run)], [0, 'superseded', []], run.log);
      const { check, title, summary, statuses, deployment, comments } = shown(hub);
      assert.deepEqual([check, comments], [['completed', 'neutral'], []]);
      assert.match(title, /^Superseded/);
      assert.match(summary, /kubectl-set/);
      assert.deepEqual(
        [statuses, deployment],
        [
          ['pending', 'success'],
          ['in_progress', 'inactive'],
        ],
      );
    }),

  'what a container prints is nowhere live, and a secret nowhere at all': (namespace) =>
    withGitHub(async (hub) => {
      const script = `printf '%s\\n' '::error::x' '##[error]x' '</code></pre></details><img src=x>' '\`\`\`' '<img src=x> @team' \\
        "cause $DB $(printf %s "$DB" | base64)" '  ::error::x' "fatal: <img src=x> @team [a](https://evil.example) $DB" | tee /dev/termination-log; exit 3`;
      const secret = object('Secret', 'db', namespace, { stringData: { word: SECRET } });
      const env = [{ name: 'DB', valueFrom: { secretKeyRef: { name: 'db', key: 'word' } } }];
      const container = { ...image('busybox:1'), command: ['sh', '-c', script], env };
      const run = await told(hub, documents(secret, app(namespace, { container })), { patience: '0' });
      assert.deepEqual([run.code, run.outputs['cause'], warningsOf(run)], [1, 'CrashLoop', []], run.log);
      const { title, summary, description, annotations, comments } = shown(hub);
      assert.equal(comments.length, 1);
      for (const markdown of [summary, ...comments, run.summary]) {
        assert.match(markdown, /img src=x/, 'it is shown');
        assert.doesNotMatch(live(markdown), /<img|@team|<a href="https:\/\/evil|^\s*::error/m);
      }
      const log = run.log.replace(/^::add-mask::.*$/gm, '');
      const texts = [title, summary, description, JSON.stringify(annotations), ...comments, log, JSON.stringify(run)];
      for (const text of texts.map((each) => each.replaceAll(`::add-mask::${SECRET}`, '')))
        assert.ok(!text.includes(SECRET) && !text.includes(btoa(SECRET).replace(/=+$/, '')), text);
      assert.doesNotMatch(run.log, /^\s*::error::x|##\[/m);
    }),

  'a plan with the least rights says what would roll or be refused, and changes nothing': (namespace) =>
    withGitHub(async (hub) => {
      const config = (name: string, mode: string) => object('ConfigMap', name, namespace, { data: { mode } });
      assert.equal((await gate(documents(config('settings', 'old'), app(namespace)), { 'stable-for': '1s' })).code, 0);
      const verbs = ['get', 'patch'];
      const rules = [
        { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'], verbs },
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['settings', 'extra'], verbs },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
      ];
      const inputs = { mode: 'plan', comment: 'always', kubeconfig: await userWith(rules, namespace) };
      const versions = () =>
        kubectl([
          'get',
          'deployment/web',
          'configmap/settings',
          '-n',
          namespace,
          '-o',
          'jsonpath={.items[*].metadata.resourceVersion} {.items[*].metadata.generation}',
        ]);
      const before = await versions();
      const next = documents(
        config('settings', 'new'),
        config('extra', 'new'),
        app(namespace, { container: image('app:v2') }),
      );
      const run = await told(hub, next, inputs);
      assert.deepEqual([run.code, run.outputs['verdict'], warningsOf(run)], [0, 'planned', []], run.log);
      const { check, title, summary, statuses, deployment, comments } = shown(hub);
      assert.deepEqual([check, statuses.at(-1), deployment], [['completed', 'success'], 'success', []]);
      assert.match(title, /^Planned/);
      assert.equal(comments.length, 1);
      for (const text of [summary, ...comments]) assert.match(text, /Deployment\/web[\s\S]*app:v2/);

      const limits = { requests: { cpu: '2' }, limits: { cpu: '1' } };
      const refused = await told(hub, app(namespace, { container: { resources: limits } }), inputs);
      assert.deepEqual([refused.code, refused.outputs['verdict']], [1, 'rejected'], refused.log);
      const last = [...hub.kept.checkRuns.values()].at(-1);
      assert.deepEqual(last?.['conclusion'], 'failure');
      assert.match(JSON.stringify(last?.['output']), /An apply would be refused[\s\S]*less than or equal to cpu limit/);
      assert.match([...hub.kept.comments.values()].map(({ body }) => body).join(), /less than or equal to cpu limit/);
      assert.deepEqual([hub.kept.comments.size, hub.kept.deployments.size], [1, 0]);
      assert.equal(await versions(), before);
      assert.equal(await kubectl(['get', 'configmap/extra', '-n', namespace, '--ignore-not-found']), '');
    }),
};

describe('on GitHub', { skip, concurrency: 3 }, () => {
  for (const [index, [name, body]] of Object.entries(tests).entries())
    test(name, { timeout: 120_000 }, () => inNamespace(`github-${index}`, body));
});
