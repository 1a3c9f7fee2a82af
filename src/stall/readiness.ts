import type { Probe } from '../kubernetes.ts';
import { eventTimes, timeOf } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import { dependencyInSight } from './exits.ts';
import type { RawFinding, Ripeness } from './finding.ts';
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

/** Ways in which a readiness probe does not pass. */
type ProbeFailure =
  | 'cannot-run'
  | 'unknown-port'
  | 'client-error'
  | 'wrong-scheme'
  | 'refused'
  | 'server-error'
  | 'timeout'
  | 'exit-code'
  | 'unknown';

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

interface Failure {
  readonly kind: ProbeFailure;
  readonly message: string;
  readonly count: number;
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

export function classifyProbeFailure(message: string): ProbeFailure {
  if (/errored/.test(message) && /invalid syntax|strconv|couldn't find port|unable to find port/i.test(message))
    return 'unknown-port';
  if (
    /executable file not found|no such file or directory|permission denied|exec failed|exec format error/i.test(message)
  )
    return 'cannot-run';
  if (
    /server gave HTTP response to HTTPS client|malformed HTTP|first record does not look like a TLS handshake/i.test(
      message,
    )
  )
    return 'wrong-scheme';
  if (/statuscode: 4\d\d/.test(message)) return 'client-error';
  if (/statuscode: 5\d\d/.test(message)) return 'server-error';
  if (/connection refused/i.test(message)) return 'refused';
  if (/deadline exceeded|timed? ?out|timeout/i.test(message)) return 'timeout';
  if (/^Readiness probe failed:/.test(message)) return 'exit-code';
  return 'unknown';
}

function judge(container: ContainerScene, probe: Probe, since: number, failure: Failure, scene: Scene): RawFinding {
  const text = TEXT[failure.kind](container, probe, failure);
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

function probePort(probe: Probe): number | string | null {
  return probe.httpGet?.port ?? probe.tcpSocket?.port ?? probe.grpc?.port ?? null;
}

function describeProbe(probe: Probe): string {
  if (probe.httpGet !== undefined)
    return `${probe.httpGet.scheme ?? 'HTTP'} GET ${probe.httpGet.path ?? '/'} on port ${probe.httpGet.port}`;
  if (probe.tcpSocket !== undefined) return `TCP on port ${probe.tcpSocket.port}`;
  if (probe.grpc !== undefined) return `gRPC on port ${probe.grpc.port}`;
  return `exec ${(probe.exec?.command ?? []).join(' ').slice(0, 120)}`;
}

function fieldFor(probe: Probe, kind: ProbeFailure): readonly string[] {
  const handler =
    probe.httpGet !== undefined
      ? 'httpGet'
      : probe.tcpSocket !== undefined
        ? 'tcpSocket'
        : probe.grpc !== undefined
          ? 'grpc'
          : 'exec';
  if (handler === 'exec') return ['exec', 'command'];
  if (kind === 'client-error' || kind === 'server-error') return [handler, 'path'];
  if (kind === 'wrong-scheme') return [handler, 'scheme'];
  if (kind === 'timeout') return ['timeoutSeconds'];
  return [handler, 'port'];
}

interface ProbeText {
  readonly summary: string;
  readonly remedy: string;
  readonly value: string | null;
}

const TEXT: Readonly<Record<ProbeFailure, (container: ContainerScene, probe: Probe, failure: Failure) => ProbeText>> = {
  'cannot-run': (_container, _probe, failure) => ({
    summary: `its command cannot be run in the container (${clause(failure.message)})`,
    remedy: 'Name a command that the image has, or use an httpGet or tcpSocket probe.',
    value: null,
  }),
  'unknown-port': (container, probe) => ({
    summary: `no port of the container is named "${probePort(probe)}"`,
    remedy: `Name one of the container's ports: ${portsOf(container)}.`,
    value: container.spec.ports?.[0]?.name ?? null,
  }),
  'client-error': (_container, probe, failure) => ({
    summary: `the server is up and answers ${status(failure.message)}`,
    remedy: `Correct the path "${probe.httpGet?.path ?? '/'}" of the probe, or make the application serve it.`,
    value: null,
  }),
  'wrong-scheme': (_container, probe) => ({
    summary: `the server does not speak ${probe.httpGet?.scheme ?? 'HTTP'} on that port`,
    remedy: 'Correct the scheme of the probe, or its port.',
    value: probe.httpGet?.scheme === 'HTTPS' ? 'HTTP' : 'HTTPS',
  }),
  refused: (container, probe) => ({
    summary: `nothing listens on port ${probePort(probe)} (connection refused); the container declares ${portsOf(container)}`,
    remedy: 'Probe the port on which the application listens, and see its log for whether it is still starting.',
    value: null,
  }),
  'server-error': (_container, _probe, failure) => ({
    summary: `the server answers ${status(failure.message)}`,
    remedy: 'Read the log of the container below: the application itself says that it is not ready.',
    value: null,
  }),
  timeout: (_container, probe) => ({
    summary: `no answer within ${probe.timeoutSeconds ?? 1} s`,
    remedy: 'Raise readinessProbe.timeoutSeconds, or make the check answer faster.',
    value: null,
  }),
  'exit-code': (_container, _probe, failure) => ({
    summary: clause(failure.message) || 'its command fails',
    remedy: 'Read the log of the container below: the check itself says that the application is not ready.',
    value: null,
  }),
  unknown: (_container, _probe, failure) => ({
    summary: clause(failure.message),
    remedy: 'Read the log of the container below.',
    value: null,
  }),
};

function status(message: string): string {
  return /statuscode: (\d+)/.exec(message)?.[1] ?? 'an error';
}

function clause(message: string): string {
  return message.replace(/^Readiness probe (failed|errored)( and resulted in unknown state)?:\s*/, '').slice(0, 200);
}

function portsOf(container: ContainerScene): string {
  const ports = (container.spec.ports ?? []).map(
    (port) => `${port.name === undefined ? '' : `${port.name}=`}${port.containerPort}`,
  );
  return ports.length === 0 ? 'no ports' : ports.join(', ');
}

/** Containers that become ready and lose it again. */
export const readinessFlapping: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const lost = container.memory?.readyLost ?? 0;
    const first = scene.view.memory(container.pod.metadata?.uid ?? '')?.firstReady ?? null;
    if (lost < 2 || first === null) return [];
    return [
      {
        code: 'ReadinessFlapping' as const,
        certainty: 'probable' as const,
        scope: 'application' as const,
        container: container.name,
        summary: `The ${containerTitle(container)} became ready and lost it again ${lost} times`,
        evidence: [{ what: 'Ready turned false', value: `${lost} times` }],
        remedy: {
          text: 'Raise readinessProbe.timeoutSeconds or failureThreshold, or find what makes the check fail under load.',
          path: fieldOf(container, 'readinessProbe'),
          value: null,
        },
        falsifier: 'It stays ready for a whole soak.',
        ripeness: after(first, 60, lost, 3),
        depth: DEPTH.readiness,
        pods: [container.podName],
      },
    ];
  });

/** Pods that wait for a condition that some controller must set (core/v1 PodReadinessGate). */
export const readinessGate: Family = (scene) =>
  scene.rollout.pods.flatMap((pod) => {
    const conditions = pod.status?.conditions ?? [];
    if (conditions.find((condition) => condition.type === 'ContainersReady')?.status !== 'True') return [];
    const pending = (pod.spec?.readinessGates ?? []).filter(
      (gate) => conditions.find((condition) => condition.type === gate.conditionType)?.status !== 'True',
    );
    if (pending.length === 0) return [];
    const names = pending.map((gate) => gate.conditionType).join(', ');
    const since =
      timeOf(conditions.find((condition) => condition.type === 'ContainersReady')?.lastTransitionTime) ?? scene.now;
    return [
      {
        code: 'ReadinessGatePending' as const,
        certainty: 'waiting' as const,
        scope: 'cluster' as const,
        container: null,
        summary: `All containers are ready since ${Math.round((scene.now - since) / 1000)} s, but the readiness gate ${names} is not set`,
        evidence: pending.map((gate) => ({
          what: `condition ${gate.conditionType}`,
          value: conditions.find((condition) => condition.type === gate.conditionType)?.message ?? 'missing',
        })),
        remedy: {
          text: `See why the controller that sets ${names} does not (a load balancer's health check, for instance).`,
          path: null,
          value: null,
        },
        falsifier: 'The controller sets the condition.',
        ripeness: NEVER,
        depth: DEPTH.readiness,
        pods: [pod.metadata?.name ?? ''],
      },
    ];
  });
