import { applicationSignals } from '../../src/report/application-signals.ts';
import { clusterSignals } from '../../src/report/cluster-signals.ts';
import { composeReport, type RunFacts, rejectedReport } from '../../src/report/compose.ts';
import type { Report, TimelineEntry } from '../../src/report/report.ts';
import type { Inspection } from '../../src/report/workload.ts';
import { createStore } from '../../src/rollout/store.ts';
import { sceneOf } from '../../src/verdict.ts';
import { deployment, ended, type Moment, NOON, pod, replicaSet, running, targetOf, tell } from '../situation.ts';

/** A moment of the timeline, in which nothing was found. @param at seconds since the start */
export function entry(at: number, ready: string): TimelineEntry {
  return {
    at,
    workload: 'Deployment/web in shop',
    text: `${ready} ready`,
    ready,
    code: '',
    verdict: '',
    during: 'rollout',
  };
}

export const FACTS: RunFacts = {
  tool: 'rollout-gate test',
  mode: 'deploy',
  server: 'https://cluster.example:6443',
  startedAt: NOON,
  endedAt: NOON + 40_000,
  options: { mode: 'deploy' },
  stages: [{ name: 'contract', milliseconds: 12 }],
  imageChanges: [],
  applied: [],
  warnings: [],
  effects: new Map(),
  notices: [],
  timeline: [entry(0.1, '0/1')],
  requests: { count: 12, retries: 0, bytesReceived: 4096, p50Milliseconds: 3, p999Milliseconds: 9 },
};

/** A report as a run would compose it. `words`: what the failing container wrote. */
export function reportOf(kind: 'stalled' | 'succeeded' | 'rejected', words = 'boom'): Report {
  if (kind === 'rejected')
    return rejectedReport(FACTS, [
      { message: `Deployment/web was refused: ${words}`, position: { file: 'web.yaml', line: 7, column: 3 } },
    ]);
  const web = deployment({
    status:
      kind === 'succeeded'
        ? { readyReplicas: 1, availableReplicas: 1, conditions: [{ type: 'Available', status: 'True' }] }
        : {},
  });
  const set = replicaSet(web, kind === 'succeeded' ? { readyReplicas: 1, availableReplicas: 1 } : {});
  const story: readonly Moment[] =
    kind === 'succeeded'
      ? [
          { seconds: 0, objects: [web, set, pod('web-1-a', { status: running(true, 2) })] },
          { seconds: 11, objects: [] },
        ]
      : [1, 12, 35].map((seconds, restart) => ({
          seconds,
          objects: [web, set, pod('web-1-a', { status: ended(1, seconds, restart) })],
        }));
  const judgement = tell({ targets: [targetOf(web)], moments: story, answers: { log: [words] } });
  const standing = judgement.standings[0];
  if (standing === undefined) throw new Error('no standing');
  const { view } = createStore();
  const scene = sceneOf(
    standing,
    judgement.standings,
    view,
    (lookup) => view.lookup(lookup),
    { patience: 1, stableForMs: 0, timeoutMs: null, startedAt: NOON, applied: [] },
    NOON,
  );
  const inspection: Inspection = {
    signals: [...clusterSignals(scene, standing.findings), ...applicationSignals(scene, standing.findings)],
    logs: [{ pod: 'web-1-a', container: 'app', previous: true, lines: [words], missing: '' }],
  };
  return composeReport(FACTS, judgement, new Map([[standing, inspection]]), false);
}
