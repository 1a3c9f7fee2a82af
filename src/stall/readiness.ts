import type { Probe } from '../kubernetes.ts';
import { eventTimes } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import { dependencyInSight } from './exits.ts';
import type { RawFinding, Ripeness } from './finding.ts';
import { describeProbe, fieldFor, probePort } from './probe.ts';
import { classifyProbeFailure, type Failure } from './probe-failure.ts';
import { PROBE_TEXT } from './probe-text.ts';
import { after, NEVER } from './ripeness.ts';
import {
  type ContainerScene,
  containerTitle,
  type Family,
  fieldOf,
  runningSince,
  type Scene,
  wasChanged,
} from './scene.ts';

/** The server is up and says no: it is given this long to change its mind. */
const SAYS_NO_SECONDS = 60;
/** The same where it may only be waiting for another workload. */
const WAITING_SECONDS = 150;

/** Containers that run, without a restart, and never become ready. */
export const readiness: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const since = unreadySince(container);
    const probe = container.spec.readinessProbe;
    if (
      since === null ||
      probe === undefined ||
      container.status?.ready !== false ||
      container.status.started === false
    )
      return [];
    const failure = lastFailure(container, since);
    if (failure === null) return [];
    return [judge(container, probe, since, failure, scene)];
  });

/** Since when the present run is not ready: since its start, or since it lost its readiness. null if it does not run. */
function unreadySince(container: ContainerScene): number | null {
  const started = runningSince(container);
  return started === null ? null : Math.max(started, container.memory?.lostAt ?? started);
}

/** What the probe of the present run said last. Source of the wording: pkg/kubelet/prober, pkg/probe. */
function lastFailure(container: ContainerScene, since: number): Failure | null {
  const failures = container.events.filter(
    (event) =>
      event.reason === 'Unhealthy' &&
      event.message?.startsWith('Readiness probe') === true &&
      eventTimes(event).last >= since,
  );
  const last = failures.at(-1);
  if (last === undefined) return null;
  const message = last.message?.trim() ?? '';
  const count = failures.reduce((sum, event) => sum + eventTimes(event).count, 0);
  return { kind: classifyProbeFailure(message), message, count };
}

function judge(container: ContainerScene, probe: Probe, since: number, failure: Failure, scene: Scene): RawFinding {
  const text = PROBE_TEXT[failure.kind](container, probe, failure);
  const ripeness = ripenessOf(container, probe, since, failure, scene);
  return {
    code: 'ReadinessNeverPasses',
    certainty:
      ripeness.kind === 'never'
        ? 'waiting'
        : failure.kind === 'cannot-run' || failure.kind === 'unknown-port'
          ? 'certain'
          : 'probable',
    scope: 'application',
    container: container.name,
    summary: `The readiness probe of ${containerTitle(container)} (${describeProbe(probe)}) does not pass: ${text.summary}`,
    evidence: [
      { what: `readiness probe, ${failure.count} failures`, value: failure.message },
      { what: 'not ready since', value: `${Math.round((scene.now - since) / 1000)} s, without a restart` },
    ],
    remedy: {
      text: text.remedy,
      path: fieldOf(container, 'readinessProbe', ...fieldFor(probe, failure.kind)),
      value: text.value,
    },
    falsifier: 'The probe passes once.',
    ripeness,
    depth: DEPTH.readiness,
    pods: [container.podName],
  };
}

function ripenessOf(container: ContainerScene, probe: Probe, since: number, failure: Failure, scene: Scene): Ripeness {
  if (failure.kind === 'cannot-run' || failure.kind === 'unknown-port') return after(since, 0, failure.count, 2);
  const doomed =
    ['client-error', 'wrong-scheme'].includes(failure.kind) ||
    (failure.kind === 'refused' && isWrongPort(container, probe, scene));
  if (!doomed) return NEVER;
  const budget = (probe.initialDelaySeconds ?? 0) + 3 * (probe.failureThreshold ?? 3) * (probe.periodSeconds ?? 10);
  const patience = dependencyInSight(container, [], scene) === null ? SAYS_NO_SECONDS : WAITING_SECONDS;
  return after(since, Math.max(patience, budget));
}

/** A refused connection is what a slow start looks like, unless nothing was ever meant to listen on that port. */
function isWrongPort(container: ContainerScene, probe: Probe, scene: Scene): boolean {
  const port = probePort(probe);
  if (port === null) return false;
  if (wasChanged(scene, `[${container.name}]`, 'readinessProbe', 'port')) return true;
  const declared = (container.spec.ports ?? []).filter(
    (each) => each.protocol === undefined || each.protocol === 'TCP',
  );
  return declared.length > 0 && declared.every((each) => each.containerPort !== port && each.name !== port);
}

/**
 * Containers whose startup probe cannot run at all: it then neither passes nor fails, so that nothing kills the container and it never becomes
 * ready. Source: pkg/kubelet/prober, worker.doProbe leaves the state on an error.
 */
export const startupProbeErrors: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const since = runningSince(container);
    const probe = container.spec.startupProbe;
    if (since === null || probe === undefined || container.status?.started === true) return [];
    const errors = container.events.filter(
      (event) => event.reason === 'Unhealthy' && event.message?.startsWith('Startup probe errored') === true,
    );
    const last = errors.at(-1);
    const message = last?.message?.trim() ?? '';
    const kind = classifyProbeFailure(message);
    if (last === undefined || (kind !== 'unknown-port' && kind !== 'cannot-run')) return [];
    const count = errors.reduce((sum, event) => sum + eventTimes(event).count, 0);
    const text = PROBE_TEXT[kind](container, probe, { kind, message, count });
    return [
      {
        code: 'ReadinessNeverPasses',
        certainty: 'certain',
        scope: 'application',
        container: container.name,
        summary: `The startup probe of ${containerTitle(container)} (${describeProbe(probe)}) cannot run, so that the container never counts as started: ${text.summary}`,
        evidence: [{ what: `startup probe, ${count} errors`, value: message }],
        remedy: {
          text: text.remedy,
          path: fieldOf(container, 'startupProbe', ...fieldFor(probe, kind)),
          value: text.value,
        },
        falsifier: 'The probe runs once.',
        ripeness: after(since, 0, count, 2),
        depth: DEPTH.readiness,
        pods: [container.podName],
      },
    ];
  });
