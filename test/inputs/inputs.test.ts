import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readInputs } from '../../src/inputs.ts';
import { readWanted } from '../../src/inputs-github.ts';
import type { Options } from '../../src/options.ts';
import { GateError } from '../../src/problem.ts';

type Given = Readonly<Record<string, string>>;

const DEPLOY: Given = { manifests: 'k8s' };

function read(given: Given): Options {
  return readInputs((name) => given[name] ?? '');
}

function problems(given: Given): readonly string[] {
  try {
    read(given);
  } catch (error) {
    assert.ok(error instanceof GateError);
    assert.ok(error.problems.every((problem) => problem.position === null));
    return error.problems.map((problem) => problem.message);
  }
  assert.fail(`nothing was refused of ${JSON.stringify(given)}`);
}

test('what is not given has its default', () => {
  assert.deepEqual(read(DEPLOY), {
    mode: 'deploy',
    manifests: ['k8s'],
    workloads: [],
    namespace: '',
    images: [],
    kubeconfig: '',
    context: '',
    patience: 1,
    timeoutMs: null,
    stableForMs: 10_000,
    onStall: 'fail',
    ledger: 'rollout-gate-ledger',
    unstickStatefulSets: false,
    fieldManager: 'rollout-gate',
    forceConflicts: false,
    logLines: 40,
  });
});

test('good values are taken as they are meant', () => {
  const cases: readonly (readonly [Given, Partial<Options>])[] = [
    [{ mode: ' plan ' }, { mode: 'plan' }],
    [{ manifests: '\n a.yaml \r\n\n# b.yaml\nk8s/*.yaml\n' }, { manifests: ['a.yaml', 'k8s/*.yaml'] }],
    [{ namespace: 'shop-1' }, { namespace: 'shop-1' }],
    [{ context: 'arn:aws:eks:eu-west-1:1:cluster/shop' }, { context: 'arn:aws:eks:eu-west-1:1:cluster/shop' }],
    [{ kubeconfig: 'apiVersion: v1\n' }, { kubeconfig: 'apiVersion: v1\n' }],
    [{ kubeconfig: ' \n' }, { kubeconfig: '' }],
    [{ patience: '0' }, { patience: 0 }],
    [{ patience: '2.5' }, { patience: 2.5 }],
    [{ patience: 'deadline' }, { patience: 'deadline' }],
    [{ timeout: '90s' }, { timeoutMs: 90_000 }],
    [{ timeout: '1h30m' }, { timeoutMs: 5_400_000 }],
    [{ timeout: '120h' }, { timeoutMs: 432_000_000 }],
    [{ 'stable-for': '0s' }, { stableForMs: 0 }],
    [{ 'field-manager': 'x'.repeat(128) }, { fieldManager: 'x'.repeat(128) }],
    [{ 'force-conflicts': 'TRUE' }, { forceConflicts: true }],
    [{ 'log-lines': '0' }, { logLines: 0 }],
    [{ 'on-stall': 'rollback' }, { onStall: 'rollback' }],
  ];
  for (const [given, expected] of cases) {
    const options = read({ ...DEPLOY, ...given });
    assert.deepEqual({ ...options, ...expected }, options, JSON.stringify(given));
  }
});

test('workloads are names or selectors', () => {
  const workloads =
    'deployment/api\nsts/db-0.x\n-l app=api,tier!=db\n--selector=app in (a, b)\n-l "app=x"\nrollouts.argoproj.io/web';
  assert.deepEqual(read({ mode: 'watch', workloads }).workloads, [
    { kind: 'name', resource: 'deployment', name: 'api' },
    { kind: 'name', resource: 'sts', name: 'db-0.x' },
    { kind: 'selector', labels: 'app=api,tier!=db' },
    { kind: 'selector', labels: 'app in (a, b)' },
    { kind: 'selector', labels: 'app=x' },
    { kind: 'name', resource: 'rollouts.argoproj.io', name: 'web' },
  ]);
});

test('images are references, or names with a reference', () => {
  const sha = `sha256:${'ab'.repeat(32)}`;
  const images = `ghcr.io/shop/api:v2\nlocalhost:5000/x@${sha}\nweb = nginx:1.29\nghcr.io/a=ghcr.io/b`;
  assert.deepEqual(read({ ...DEPLOY, images }).images, [
    { entry: 'ghcr.io/shop/api:v2', name: 'ghcr.io/shop/api', reference: 'ghcr.io/shop/api:v2' },
    { entry: `localhost:5000/x@${sha}`, name: 'localhost:5000/x', reference: `localhost:5000/x@${sha}` },
    { entry: 'web = nginx:1.29', name: 'web', reference: 'nginx:1.29' },
    { entry: 'ghcr.io/a=ghcr.io/b', name: 'ghcr.io/a', reference: 'ghcr.io/b' },
  ]);
});

test('a bad value is refused with the input, the value and what is accepted', () => {
  const cases: readonly (readonly [Given, RegExp])[] = [
    [{ mode: 'Deploy' }, /^mode: "Deploy" is not accepted; use one of deploy, watch, plan$/],
    [{ namespace: 'Shop' }, /^namespace: "Shop" is not accepted; a namespace has up to 63/],
    [{ namespace: 'a'.repeat(64) }, /^namespace: /],
    [{ namespace: 'a/b' }, /^namespace: /],
    [{ patience: '-1' }, /^patience: "-1" is not accepted; use a factor from 0 to 1000/],
    [{ patience: 'Infinity' }, /^patience: /],
    [{ timeout: '600' }, /^timeout: "600" is not accepted; use a duration such as 90s.*Write 600s for seconds/],
    [{ timeout: '0s' }, /^timeout: "0s" is not accepted;/],
    [{ timeout: '30m1h' }, /^timeout: /],
    [{ timeout: '1.5h' }, /^timeout: /],
    [{ timeout: '121h' }, /^timeout: "121h" is not accepted; .*use 120h at most/],
    [{ 'stable-for': '10' }, /^stable-for: "10" is not accepted; .*Write 10s/],
    [{ 'stable-for': `${'9'.repeat(400)}s` }, /^stable-for: .*use 120h at most/],
    [{ 'field-manager': 'x'.repeat(129) }, /^field-manager: /],
    [{ 'field-manager': 'a\tb' }, /^field-manager: "a\\tb" is not accepted; .*printable/],
    [{ 'force-conflicts': 'yes' }, /^force-conflicts: "yes" is not accepted; use true or false$/],
    [{ 'log-lines': '-1' }, /^log-lines: /],
    [{ 'log-lines': '1001' }, /^log-lines: "1001" is not accepted; use a whole number from 0 to 1000$/],
    [{ 'on-stall': 'retry' }, /^on-stall: "retry" is not accepted; use one of fail, rollback$/],
    [{ images: 'nginx' }, /^images: "nginx" is not accepted; .*without a tag or digest/],
    [{ images: 'web=Nginx:1' }, /^images: "web=Nginx:1" is not accepted; "Nginx:1" is no image reference/],
    [{ images: '=nginx:1' }, /^images: .*name before = is empty/],
    [{ images: 'nginx:1=nginx:2' }, /^images: .*takes no tag or digest/],
    [{ images: 'nginx@sha256:abc' }, /^images: .*no image reference/],
    [{ manifests: '' }, /^manifests: mode deploy needs at least one file/],
    [{ workloads: 'deployment/api' }, /^workloads: mode deploy follows what the manifests name/],
    [{ mode: 'plan', manifests: ' \n# x' }, /^manifests: mode plan needs/],
    [{ mode: 'watch', workloads: 'deploy/a' }, /^manifests: mode watch applies nothing/],
    [{ mode: 'watch', manifests: '' }, /^workloads: mode watch needs at least one/],
    [{ mode: 'watch', manifests: '', workloads: 'api' }, /^workloads: "api" is not accepted; use kind\/name/],
    [{ mode: 'watch', manifests: '', workloads: 'deploy/a', images: 'a:b' }, /^images: mode watch applies nothing/],
  ];
  for (const [given, says] of cases)
    assert.match(problems({ ...DEPLOY, ...given })[0] ?? '', says, JSON.stringify(given));
});

test('all bad inputs are reported at once, each line by itself', () => {
  const all = problems({ mode: 'x', timeout: '1', images: 'A\nb\nC', namespace: '_', kubeconfig: 'hush: secret' });
  assert.deepEqual(
    all.map((message) => message.split(':')[0]),
    ['mode', 'namespace', 'images', 'images', 'images', 'timeout', 'manifests'].toSorted(
      (a, b) => order(all, a) - order(all, b),
    ),
  );
  assert.equal(all.length, 7);
  assert.ok(all.every((message) => !message.includes('hush')));
});

function order(all: readonly string[], name: string): number {
  return all.findIndex((message) => message.startsWith(name));
}

test('no value whatever makes anything but a GateError, and no message has more than one line', () => {
  const name = fc.constantFrom(
    'mode',
    'workloads',
    'namespace',
    'images',
    'patience',
    'timeout',
    'stable-for',
    'field-manager',
    'force-conflicts',
    'log-lines',
    'on-stall',
  );
  fc.assert(
    fc.property(fc.dictionary(name, fc.string({ unit: 'binary', maxLength: 300 })), (given) => {
      try {
        read({ ...DEPLOY, ...given });
      } catch (error) {
        assert.ok(error instanceof GateError);
        for (const { message } of error.problems) assert.doesNotMatch(message, /[\n\r]/);
      }
    }),
    { numRuns: 500 },
  );
});

test('a duration is the sum of its parts', () => {
  const part = (most: number) => fc.option(fc.nat(most), { nil: null });
  fc.assert(
    fc.property(part(99), part(999), part(9999), (hours, minutes, seconds) => {
      fc.pre(hours !== null || minutes !== null || seconds !== null);
      const text = `${hours === null ? '' : `${hours}h`}${minutes === null ? '' : `${minutes}m`}${seconds === null ? '' : `${seconds}s`}`;
      const expected = ((hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0)) * 1000;
      assert.equal(read({ ...DEPLOY, 'stable-for': text }).stableForMs, expected);
    }),
  );
});

test('what to tell on GitHub is read for itself, and told with the other inputs if it is wrong', () => {
  const wanted = (given: Given) => readWanted((name) => given[name] ?? '');
  const { wanted: asked } = wanted({
    'github-token': 'a-token',
    'check-run': ' rollout / production ',
    comment: 'on-failure',
    environment: 'production',
    matrix: '{"region": "eu", "tier": {"size": 3}}',
    'job-id': '77',
  });
  assert.deepEqual(asked, {
    token: 'a-token',
    checkRun: 'rollout / production',
    commitStatus: '',
    comment: 'on-failure',
    environment: 'production',
    isPlan: false,
    matrix: ['eu', '3'],
    jobId: '77',
  });
  assert.deepEqual(wanted({ matrix: 'null' }).wanted.matrix, []);
  const wrong = { ...DEPLOY, comment: 'yes', 'check-run': 'x'.repeat(101), 'commit-status': 'a\nb', 'job-id': 'x' };
  const said = problems(wrong);
  assert.deepEqual(said.map((each) => each.split(':')[0]).sort(), ['check-run', 'comment', 'commit-status', 'job-id']);
  assert.equal(wanted(wrong).wanted.checkRun, '');
  assert.ok(
    !problems({ ...wrong, 'github-token': 'a-secret-token' })
      .join()
      .includes('a-secret-token'),
  );
});
