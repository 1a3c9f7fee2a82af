import type { Probe } from '../kubernetes.ts';
import { eventTimes, timeOf } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import { dependencyInSight, type ExitRecord, exitRecord, lastLines, lifetime } from './exits.ts';
import type { RawFinding } from './finding.ts';
import { after } from './ripeness.ts';
import { type ContainerScene, containerTitle, type Family, fieldOf, type Scene } from './scene.ts';

interface ProbeKills {
  readonly probe: 'liveness' | 'startup';
  readonly count: number;
  readonly since: number;
  /** What the probe said last. */
  readonly failure: string;
}

/** Ends that a probe's kill looks like: killed, terminated, or a program that caught SIGTERM and left in good order. */
const KILL_CODES: ReadonlySet<number> = new Set([0, 137, 143]);

/** Containers that their own liveness or startup probe kills before they are up. */
export const probeKill: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const record = exitRecord(container, scene);
    const kills = record === null ? null : probeKills(container, record);
    if (record === null || kills === null) return [];
    return [judge(container, record, kills, scene)];
  });

/** The kills of a container by one of its probes; null if there were none. Events say it best; without them the lifetimes do. */
export function probeKills(container: ContainerScene, record: ExitRecord): ProbeKills | null {
  if (record.last.reason === 'OOMKilled') return null;
  return killsByEvents(container) ?? killsByLifetime(container, record);
}

function killsByEvents(container: ContainerScene): ProbeKills | null {
  const kills = container.events.filter(
    (event) => event.reason === 'Killing' && /failed (liveness|startup) probe/.test(event.message ?? ''),
  );
  const last = kills.at(-1);
  if (last === undefined) return null;
  const probe = last.message?.includes('startup probe') === true ? 'startup' : 'liveness';
  const times = kills.map(eventTimes);
  return {
    probe,
    count: times.reduce((sum, each) => sum + each.count, 0),
    since: Math.min(...times.map((each) => each.first)),
    failure: probeFailure(container, probe),
  };
}

/** Runs that all ended when the probe's budget was used up, give or take one period. */
function killsByLifetime(container: ContainerScene, record: ExitRecord): ProbeKills | null {
  // Any event of the container shows that events may be read: then the absence of a kill among them is an answer.
  if (container.events.length > 0 || container.memory?.wasReady === true || !KILL_CODES.has(record.last.exitCode))
    return null;
  const probe = container.spec.startupProbe !== undefined ? 'startup' : 'liveness';
  const spec = probe === 'startup' ? container.spec.startupProbe : container.spec.livenessProbe;
  if (spec === undefined || (spec.httpGet ?? spec.tcpSocket ?? spec.exec ?? spec.grpc) === undefined) return null;
  const budget = budgetSeconds(spec) * 1000;
  const slack = (spec.periodSeconds ?? 10) * 1000;
  const lives = record.exits.map(lifetime);
  const matching = lives.filter((life) => life !== null && Math.abs(life - budget) <= slack);
  if (matching.length < 2 || matching.length < lives.length) return null;
  return {
    probe,
    count: matching.length,
    since: record.since,
    failure: 'each run ended when the budget of the probe was used up',
  };
}

/** Seconds that a container has to pass a probe before it is killed. Source: core/v1 Probe, defaults included. */
export function budgetSeconds(probe: Probe): number {
  return (probe.initialDelaySeconds ?? 0) + (probe.failureThreshold ?? 3) * (probe.periodSeconds ?? 10);
}

function probeFailure(container: ContainerScene, probe: 'liveness' | 'startup'): string {
  const prefix = probe === 'liveness' ? 'Liveness probe' : 'Startup probe';
  return (
    container.events
      .filter((event) => event.reason === 'Unhealthy' && event.message?.startsWith(prefix) === true)
      .at(-1)?.message ?? ''
  );
}

function judge(container: ContainerScene, record: ExitRecord, kills: ProbeKills, scene: Scene): RawFinding {
  const spec = (kills.probe === 'startup' ? container.spec.startupProbe : container.spec.livenessProbe) ?? {};
  const budget = budgetSeconds(spec);
  const lives = record.exits.map(lifetime).filter((life) => life !== null);
  const waiting = dependencyInSight(container, lastLines(container, scene), scene) !== null;
  const path =
    kills.probe === 'startup'
      ? fieldOf(container, 'startupProbe', 'failureThreshold')
      : fieldOf(container, 'livenessProbe');
  const settings = `initialDelaySeconds ${spec.initialDelaySeconds ?? 0} + failureThreshold ${spec.failureThreshold ?? 3} × periodSeconds ${spec.periodSeconds ?? 10}`;
  return {
    code: kills.probe === 'startup' ? 'StartupKills' : 'LivenessKills',
    certainty: 'probable',
    scope: 'application',
    container: container.name,
    summary:
      container.memory?.wasReady === true
        ? `The ${kills.probe} probe killed ${containerTitle(container)} ${times(kills.count)} after it had been ready: ${kills.failure.trim() || 'it stopped answering'}`
        : `The ${kills.probe} probe killed ${containerTitle(container)} ${times(kills.count)}: it has ${budget} s to come up (${settings}), and needs longer`,
    evidence: [
      { what: `killed by the ${kills.probe} probe`, value: times(kills.count) },
      {
        what: 'lifetimes of its runs',
        value: lives.map((life) => `${Math.round(life / 1000)} s`).join(', ') || 'unknown',
      },
      ...(kills.failure === '' ? [] : [{ what: 'last failure', value: kills.failure.trim() }]),
    ],
    remedy: { ...remedyOf(kills.probe, spec, budget, measuredStart(container, scene)), path },
    falsifier: 'The container passes the probe within its budget after one of its next starts.',
    ripeness: waiting ? after(kills.since, 60, kills.count, 3) : after(kills.since, 0, kills.count, 2),
    depth: DEPTH.probeKill,
    pods: [container.podName],
  };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** Seconds that pods of the earlier revision took from the start of this container to ready; null if none of them is ready. */
function measuredStart(container: ContainerScene, scene: Scene): number | null {
  const times = scene.rollout.otherPods.map((pod) => {
    const ready = pod.status?.conditions?.find(
      (condition) => condition.type === 'Ready' && condition.status === 'True',
    );
    const status = pod.status?.containerStatuses?.find((each) => each.name === container.name);
    const [end, start] = [timeOf(ready?.lastTransitionTime), timeOf(status?.state?.running?.startedAt)];
    return end === null || start === null ? null : (end - start) / 1000;
  });
  const known = times.filter((time) => time !== null && time >= 0);
  return known.length === 0 ? null : Math.max(...known.map(Number));
}

/** Room to come up: twice what the earlier revision took, or, where that is not known, four times what was too short; a minute at least. */
function remedyOf(
  probe: 'liveness' | 'startup',
  spec: Probe,
  budget: number,
  measured: number | null,
): Omit<RawFinding['remedy'], 'path'> {
  const period = spec.periodSeconds ?? 10;
  const wanted = Math.max(60, measured === null ? budget * 4 : measured * 2, budget + period);
  const threshold = Math.ceil(wanted / period);
  const took = measured === null ? '' : `; the earlier revision took ${Math.round(measured)} s`;
  if (probe === 'startup') {
    return {
      text: `Raise startupProbe.failureThreshold to ${threshold} (${threshold * period} s to come up${took}).`,
      value: String(threshold),
    };
  }
  return {
    text: `Add a startupProbe with the same check, periodSeconds ${period} and failureThreshold ${threshold} (${threshold * period} s to come up${took}): the liveness probe waits until it has passed.`,
    value: `startupProbe: { ${checkText(spec)}, periodSeconds: ${period}, failureThreshold: ${threshold} }`,
  };
}

/** The probe's check in YAML's flow style, to be pasted. */
function checkText(spec: Probe): string {
  if (spec.httpGet !== undefined) return `httpGet: { path: ${spec.httpGet.path ?? '/'}, port: ${spec.httpGet.port} }`;
  if (spec.tcpSocket !== undefined) return `tcpSocket: { port: ${spec.tcpSocket.port} }`;
  if (spec.grpc !== undefined) return `grpc: { port: ${spec.grpc.port} }`;
  return `exec: { command: ${JSON.stringify(spec.exec?.command ?? [])} }`;
}
