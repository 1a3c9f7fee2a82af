import type { Probe } from '../kubernetes.ts';
import { timeOf } from '../rollout/time.ts';
import { describeExit } from '../stall/exits.ts';
import type { Finding } from '../stall/finding.ts';
import { budgetSeconds } from '../stall/probe-kill.ts';
import type { ContainerScene, Scene } from '../stall/scene.ts';
import type { Signal } from './signal.ts';

type Draft = Omit<Signal, 'group'>;

/** What the application itself shows: its containers, probes and configuration, and what this apply changed of them. */
export function applicationSignals(scene: Scene, findings: readonly Finding[]): readonly Signal[] {
  const decisive = new Set(
    findings.filter((finding) => finding.scope === 'application').map((finding) => finding.container ?? ''),
  );
  const names = [...new Set(scene.containers.map((container) => container.name))];
  const perContainer = names.flatMap((name) => {
    const all = scene.containers.filter((container) => container.name === name);
    return [states(all, scene, decisive.has(name)), ...probes(all, decisive.has(name))];
  });
  const drafts: readonly Draft[] = [...perContainer, startTimes(scene), before(scene), changes(scene)];
  return drafts.map((draft) => ({ group: 'application', ...draft }));
}

function title(container: ContainerScene | undefined): string {
  if (container === undefined) return '';
  return `${container.role === 'app' ? 'container' : container.role === 'init' ? 'init container' : 'sidecar container'} ${container.name}`;
}

function states(all: readonly ContainerScene[], scene: Scene, decisive: boolean): Draft {
  const grouped = Map.groupBy(all, (container) => stateOf(container));
  const value = [...grouped]
    .map(([state, containers]) => `${containers.length} ${state}`)
    .sort()
    .join('; ');
  const restarts = all.reduce((sum, container) => sum + (container.status?.restartCount ?? 0), 0);
  const last = all.map((container) => container.memory?.exits.at(-1)).find((exit) => exit !== undefined);
  const bad = all.some((container) => isFailing(container));
  return {
    name: title(all[0]),
    value: `${value}; ${restarts} restarts${last === undefined ? '' : `; last end: ${describeExit(last)}`}`,
    judgement: decisive ? 'decisive' : bad ? 'suspicious' : 'fine',
    next:
      decisive || bad
        ? `kubectl logs ${all[0]?.podName ?? ''} -c ${all[0]?.name ?? ''} -n ${scene.target.ref.namespace} --previous`
        : '',
  };
}

/** Restarted, or kept from starting by something else than the order of the pod's containers. */
function isFailing(container: ContainerScene): boolean {
  const waiting = container.status?.state?.waiting?.reason ?? '';
  const waits = waiting !== '' && waiting !== 'ContainerCreating' && waiting !== 'PodInitializing';
  return (
    waits ||
    (container.status?.ready !== true && container.role !== 'init' && (container.status?.restartCount ?? 0) > 0)
  );
}

function stateOf(container: ContainerScene): string {
  const state = container.status?.state;
  if (state?.running !== undefined)
    return container.status?.ready === true ? 'running and ready' : 'running, not ready';
  if (state?.terminated !== undefined)
    return state.terminated.exitCode === 0 ? 'ended with success' : `ended (${state.terminated.reason ?? 'Error'})`;
  if (state?.waiting !== undefined) return `waiting (${state.waiting.reason ?? 'unknown'})`;
  return 'not started (the pod has no node yet)';
}

const PROBES = [
  ['startupProbe', 'Startup probe'],
  ['livenessProbe', 'Liveness probe'],
  ['readinessProbe', 'Readiness probe'],
] as const;

function probes(all: readonly ContainerScene[], decisive: boolean): readonly Draft[] {
  const first = all[0];
  if (first === undefined) return [];
  const drafts = PROBES.map(([field, words]) => {
    const probe = first.spec[field];
    return probe === undefined ? null : probeSignal(probe, words, all, decisive);
  }).filter((draft) => draft !== null);
  if (drafts.length > 0 || first.role === 'init') return drafts;
  return [
    {
      name: `probes of ${first.name}`,
      value: 'none: a container without a readiness probe is ready as soon as it runs',
      judgement: 'suspicious',
      next: '',
    },
  ];
}

function probeSignal(probe: Probe, words: string, all: readonly ContainerScene[], decisive: boolean): Draft {
  const failing = all.filter(
    (container) => container.status?.state?.running !== undefined && container.status.ready === false,
  );
  const last = failing
    .flatMap((container) => container.events.filter((event) => event.message?.startsWith(words) === true))
    .at(-1);
  const budget = `${budgetSeconds(probe)} s until it counts as failed (initialDelaySeconds ${probe.initialDelaySeconds ?? 0} + failureThreshold ${probe.failureThreshold ?? 3} × periodSeconds ${probe.periodSeconds ?? 10})`;
  return {
    name: `${words.toLowerCase()} of ${all[0]?.name ?? ''}`,
    value:
      last === undefined
        ? `${budget}; no failure of a running container`
        : `${budget}; last failure: ${last.message?.trim() ?? ''}`,
    judgement: last === undefined ? 'fine' : decisive ? 'decisive' : 'suspicious',
    next: '',
  };
}

function startTimes(scene: Scene): Draft {
  const times = scene.rollout.pods
    .map((pod) => {
      const ready = pod.status?.conditions?.find(
        (condition) => condition.type === 'Ready' && condition.status === 'True',
      );
      const scheduled = pod.status?.conditions?.find(
        (condition) => condition.type === 'PodScheduled' && condition.status === 'True',
      );
      const [end, start] = [timeOf(ready?.lastTransitionTime), timeOf(scheduled?.lastTransitionTime)];
      return end === null || start === null ? null : Math.round((end - start) / 1000);
    })
    .filter((time) => time !== null);
  const value =
    times.length === 0
      ? 'no pod of this revision became ready'
      : `${spread(times)} s over ${times.length} ${times.length === 1 ? 'pod' : 'pods'}`;
  return { name: 'from placement to ready', value, judgement: times.length === 0 ? 'suspicious' : 'fine', next: '' };
}

function spread(times: readonly number[]): string {
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return least === most ? String(least) : `${least} to ${most}`;
}

function before(scene: Scene): Draft {
  const name = 'the revision before this apply';
  const status = scene.target.before?.['status'] as { readyReplicas?: number } | undefined;
  const wanted = (scene.target.before?.['spec'] as { replicas?: number } | undefined)?.replicas;
  if (scene.target.before === null)
    return { name, value: 'there was none: first deploy', judgement: 'unknown', next: '' };
  const ready = status?.readyReplicas ?? 0;
  const well = wanted === undefined || ready >= wanted;
  return {
    name,
    value: `${ready} of ${wanted ?? '?'} pods were ready`,
    judgement: well ? 'fine' : 'suspicious',
    next: well ? '' : 'this was already so before this change',
  };
}

function changes(scene: Scene): Draft {
  const name = 'what this apply changed';
  if (scene.target.action === 'created')
    return { name, value: 'everything: the object is new', judgement: 'unknown', next: '' };
  const paths = scene.target.changes?.map((change) => change.path) ?? null;
  if (paths === null) return { name, value: 'not known: nothing was applied', judgement: 'unknown', next: '' };
  return {
    name,
    value: paths.slice(0, 12).join(', ') || 'nothing',
    judgement: paths.length === 0 ? 'fine' : 'suspicious',
    next: '',
  };
}
