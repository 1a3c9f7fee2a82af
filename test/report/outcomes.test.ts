import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it, test } from 'node:test';
import { Ajv } from 'ajv';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { composeReport, plannedReport, rejectedReport } from '../../src/report/compose.ts';
import { failedWorkloads } from '../../src/report/failed.ts';
import type { Report, ReportWorkload } from '../../src/report/report.ts';
import type { ReportRollback } from '../../src/report/rollback.ts';
import { renderSummary } from '../../src/report/summary.ts';
import { rollBack } from '../../src/rollback/rollback.ts';
import { createTinyCluster, type TinyCluster } from '../rollback/tiny-cluster.ts';
import { deployment, type Moment, pod, replicaSet, targetOf, tell, template, waiting } from '../situation.ts';
import { FACTS, reportOf } from './reports.ts';

const schema = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../docs/report.schema.json'), 'utf8'),
) as object;
const validate = new Ajv({ allErrors: true }).compile(schema);

function assertValid(report: Report): void {
  assert.ok(validate(JSON.parse(JSON.stringify(report))), JSON.stringify(validate.errors, null, 2));
}

const MANAGER = 'rollout-gate';
const metadata = (name: string) => ({ name, namespace: 'shop' });
const web = (image: string): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadata('web'),
  spec: { replicas: 1, template: { image } },
});
const settings = (data: Readonly<Record<string, string>>, name = 'settings'): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata(name),
  data,
});

/** What a real rollback of a bad deploy comes to, in a cluster where this was before, and this happens in between. */
async function rolledBack(
  before: readonly KubernetesObject[],
  { meddle, follow = '' }: { readonly meddle?: (cluster: TinyCluster) => void; readonly follow?: string } = {},
): Promise<Report> {
  const cluster = createTinyCluster();
  cluster.apply(before, MANAGER);
  const bad = [settings({ level: 'debug', more: '1' }), settings({ a: '1' }, 'extra'), web('bad-2')];
  const applied = cluster.apply(bad, MANAGER);
  meddle?.(cluster);
  const nothing = () => undefined;
  const outcome = await rollBack(applied, {
    api: cluster.api,
    ledger: '',
    run: 'this run',
    fieldManager: MANAGER,
    unstick: false,
    follow: async () => follow,
    tell: nothing,
    notice: nothing,
  });
  const shortfall = [{ workload: 'Deployment/web', namespace: 'shop', seconds: 12.3, lowest: 0, asked: 1 }];
  return { ...reportOf('stalled'), rollback: { ...outcome, shortfall } };
}

const GOOD = [settings({ level: 'info' }), web('good-1')];
const LEVEL = (after: string) => `  - \`data.level\`: before \`info\`, attempted \`debug\`, after \`${after}\``;
const MORE = (after: string) => `  - \`data.more\`: before _absent_, attempted \`1\`, after ${after}`;
const IMAGE = (after: string) =>
  `  - \`spec.template.image\`: before \`good-1\`, attempted \`bad-2\`, after \`${after}\``;
const SHORT = '- Deployment/web had fewer replicas than asked for during 12.3 s; at the least 0 of 1 were available.';

interface Told {
  readonly outcome: ReportRollback['outcome'];
  readonly run: () => Promise<Report>;
  readonly title: string;
  readonly reason: RegExp;
  /** Of the section about the rollback: all lines of its list. */
  readonly lines: readonly string[];
}

const TOLD: readonly Told[] = [
  {
    outcome: 'rolled-back',
    run: () => rolledBack(GOOD),
    title: '↩️ Rolled back',
    reason: /back at what worked, and ready: 2 restored, 1 deleted/,
    lines: [
      SHORT,
      '- ↩️ **restored** ConfigMap/settings',
      LEVEL('info'),
      MORE('_absent_'),
      '- ↩️ **restored** Deployment/web',
      IMAGE('good-1'),
      '- 🗑️ **deleted** ConfigMap/extra',
    ],
  },
  {
    outcome: 'failed',
    run: () => rolledBack(GOOD, { follow: 'Deployment/web: no <room>' }),
    title: '❌ Rollback failed',
    reason: /did not become ready again: Deployment\/web: no &lt;room&gt;/,
    lines: [
      SHORT,
      '- ↩️ **restored** ConfigMap/settings',
      LEVEL('info'),
      MORE('_absent_'),
      '- ↩️ **restored** Deployment/web',
      IMAGE('good-1'),
      '- 🗑️ **deleted** ConfigMap/extra',
    ],
  },
  {
    outcome: 'refused',
    run: () =>
      rolledBack(GOOD, { meddle: (cluster) => cluster.edit('ConfigMap/settings', { data: { level: 'theirs' } }) }),
    title: '⚠️ Rollback refused',
    reason: /ConfigMap\/settings was changed by "kubectl-edit" since the apply/,
    lines: [
      SHORT,
      '- ⚠️ **left** ConfigMap/settings',
      LEVEL('debug'),
      MORE('`1`'),
      '- ⚠️ **left** ConfigMap/extra',
      '- ⚠️ **left** Deployment/web',
      IMAGE('bad-2'),
    ],
  },
  {
    outcome: 'none',
    run: () => rolledBack([]),
    title: '⚪ Nothing rolled back',
    reason: /Everything this run changed it created/,
    lines: [SHORT, '- ⚠️ **left** ConfigMap/settings', '- ⚠️ **left** ConfigMap/extra', '- ⚠️ **left** Deployment/web'],
  },
];

describe('what a rollback came to', () => {
  for (const { outcome, run, title, reason, lines } of TOLD)
    it(`${outcome}: the reason on top, and of each object the state before, attempted and after`, async () => {
      const report = await run();
      assert.equal(report.rollback?.outcome, outcome, report.rollback?.reason);
      assertValid(report);
      const summary = renderSummary(report);
      const top = summary.split('\n').find((line) => line.startsWith(`**${title}.** `)) ?? '';
      assert.match(top, reason);
      assert.ok(summary.indexOf(top) < summary.indexOf('**Proof**'), summary);
      const section = /\n### Rollback\n([\s\S]*?)\n\n(?=[<>#]|$)/.exec(summary)?.[1] ?? '';
      assert.deepEqual(
        section
          .split('\n')
          .filter((line) => /^ *- /.test(line))
          .map((line) => line.replace(/(\*\* \S+):.*/, '$1')),
        lines,
      );
      assert.equal(/^Target: /m.test(section), report.rollback.target !== '');
    });

  it('is said of one where nothing was touched, without a section of its own', () => {
    const rollback: ReportRollback = { outcome: 'none', target: '', reason: 'why', objects: [], shortfall: [] };
    const summary = renderSummary({ ...reportOf('stalled'), rollback });
    assert.match(summary, /\*\*⚪ Nothing rolled back\.\*\* why/);
    assert.doesNotMatch(summary, /### Rollback/);
    assert.doesNotMatch(renderSummary(reportOf('stalled')), /rolled back|Rollback/i);
  });
});

const before = deployment();
const stuck = replicaSet(before);
const creating: readonly Moment[] = [
  { seconds: 0, objects: [before, stuck, pod('web-1-a', { status: waiting('ContainerCreating') })] },
];
const changed = {
  ...deployment({ template: template({ image: 'registry.example/app:theirs' }) }),
  metadata: { ...before.metadata, generation: 2 },
};
const judged = (moments: readonly Moment[], cancelled = false) =>
  composeReport(FACTS, tell({ targets: [targetOf(before)], moments, answers: {} }), new Map(), cancelled);
const problem = { message: 'Deployment/web was refused: immutable', position: null };

const VERDICTS: readonly (readonly [what: string, Report, first: string])[] = [
  ['planned', plannedReport({ ...FACTS, mode: 'plan' }, []), '## 📝 Planned'],
  ['a plan that is refused', rejectedReport({ ...FACTS, mode: 'plan' }, [problem]), '## ❌ An apply would be refused'],
  ['rejected', rejectedReport(FACTS, [problem]), '## ❌ Rejected'],
  ['timed out', judged([...creating, { seconds: 601, objects: [] }]), '## ❌ Timed out: NoProgress'],
  ['superseded', judged([...creating, { seconds: 2, objects: [changed] }]), '## ⚠️ Superseded: Superseded'],
  ['cancelled', judged(creating, true), '## ⚠️ Cancelled'],
  ['undecided when the wait ended', judged(creating), '## ⚠️ Cancelled'],
];

for (const [what, report, first] of VERDICTS)
  test(`${what}: the first line says so, and the report follows the published schema`, () => {
    assertValid(report);
    const lines = renderSummary(report).split('\n');
    assert.equal(lines[0], first);
    assert.equal(lines[1], '');
    assert.notEqual(lines[2], '');
  });

const FAILED = reportOf('stalled');

/** Like the one that failed; `seen`: not decided when the wait ended, but something was found. */
function workload(name: string, how: 'failed' | 'seen' | 'unseen' | 'succeeded'): ReportWorkload {
  const [model] = FAILED.workloads;
  if (model === undefined) throw new Error('no workload');
  const own = { ...model, name, reason: `Deployment/${name} has 0 of 1 ready` };
  if (how === 'failed') return own;
  const findings = how === 'seen' ? model.findings : [];
  return { ...own, cause: null, findings, verdict: how === 'succeeded' ? 'succeeded' : 'undecided' };
}

test('the one that decided comes first, then the others that failed, then what was seen of those not decided', () => {
  const workloads = [
    workload('seen-a', 'seen'),
    workload('good', 'succeeded'),
    workload('failed-a', 'failed'),
    workload('unseen', 'unseen'),
    workload('failed-b', 'failed'),
    workload('decided', 'failed'),
    workload('seen-b', 'seen'),
  ];
  const report = { ...FAILED, workloads, reason: 'Deployment/decided has 0 of 1 ready' };
  const order = ['decided', 'failed-a', 'failed-b', 'seen-a', 'seen-b'];
  assert.deepEqual(
    failedWorkloads(report).map(({ name }) => name),
    order,
  );
  assertValid(report);
  const summary = renderSummary(report);
  const titles = [...summary.matchAll(/^### Deployment\/(\S+): CrashLoop$/gm)].map(([, name]) => name);
  assert.deepEqual(titles, order);
  const rows = [...summary.matchAll(/^\| Deployment\/(\S+) \| \d\/\d \| (\S+ \S+)/gm)].map(([, name]) => name);
  assert.deepEqual(rows, [...order, 'unseen', 'good']);
  assert.match(summary, /^\| Deployment\/unseen \| 0\/1 \| ⚠️ Undecided<br>/m);
  assert.match(summary, /^### Deployment\/seen-a: [^#]*\*\*Seen when the wait ended\*\*/m);
});
