import type { Container, Probe } from '../kubernetes.ts';
import type { Check } from './scene.ts';
import { type Warning, type WarningCode, warning } from './warning.ts';
import { containersOf, livePodOf, type PlacedContainer, type Workload, workloadsOf } from './workload.ts';

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
type ProbeName = (typeof PROBES)[number];

/** What follows where nothing answers at the port, and where the port's name cannot be resolved. */
const CODES: Readonly<Record<ProbeName, { readonly unanswered: WarningCode; readonly unresolved: WarningCode }>> = {
  startupProbe: { unanswered: 'StartupKills', unresolved: 'ReadinessNeverPasses' },
  livenessProbe: { unanswered: 'LivenessKills', unresolved: 'LivenessNeverRuns' },
  readinessProbe: { unanswered: 'ReadinessNeverPasses', unresolved: 'ReadinessNeverPasses' },
};

/**
 * Probes that ask a port which nothing declares. A name is looked up in the container itself only, and a probe whose name cannot be
 * resolved never runs: its result is thrown away. Source: pkg/kubelet/prober, prober.go and worker.go; pkg/probe, ResolveContainerPort.
 * A number need not be declared to be open, so it is doubted only where the container declares other ports, and no proof speaks for it.
 */
export const probePorts: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => {
    const placed = containersOf(workload).filter((each) => each.runsOn);
    const declared = placed.flatMap(({ container }) => portsOf(container));
    return placed.flatMap((each) => PROBES.flatMap((name) => check(workload, each, name, declared)));
  });

interface Asked {
  readonly port: number | string;
  readonly path: readonly string[];
}

function check(
  workload: Workload,
  { container, path, title }: PlacedContainer,
  name: ProbeName,
  declared: readonly number[],
): readonly Warning[] {
  const asked = askedPort(container[name]);
  if (asked === null) return [];
  const own = container.ports ?? [];
  const list = own.map((port) =>
    port.name === undefined ? `${port.containerPort}` : `${port.name} (${port.containerPort})`,
  );
  const at = [...path, name, ...asked.path];
  if (typeof asked.port === 'string') {
    if (own.some((port) => port.name === asked.port)) return [];
    const has = list.length === 0 ? 'which declares no port' : `which has ${list.join(', ')}`;
    return [
      warning(
        CODES[name].unresolved,
        workload.planned,
        at,
        `The ${name} asks the port named "${asked.port}" of the ${title}, ${has}: ${UNRESOLVED[name]}. Name a port of this container, or give the number.`,
      ),
    ];
  }
  if (own.length === 0 || declared.includes(asked.port) || isProven(workload, container.name, name, asked.port))
    return [];
  return [
    warning(
      CODES[name].unanswered,
      workload.planned,
      at,
      `The ${name} of the ${title} asks port ${asked.port}, which no container of the pod declares (this one declares ${list.join(', ')}): if nothing listens there, ${UNANSWERED[name]}. Correct the port, or declare it under ports.`,
    ),
  ];
}

const UNRESOLVED: Readonly<Record<ProbeName, string>> = {
  startupProbe: 'the probe cannot run, and the pod never becomes ready',
  livenessProbe: 'the probe never runs and protects nothing',
  readinessProbe: 'the probe cannot run, and the pod never becomes ready',
};

const UNANSWERED: Readonly<Record<ProbeName, string>> = {
  startupProbe: 'the kubelet kills the container again and again',
  livenessProbe: 'the kubelet kills the container again and again',
  readinessProbe: 'the pod never becomes ready',
};

/** null: the probe asks no port, or one of another host. */
function askedPort(probe: Probe | undefined): Asked | null {
  if (probe?.httpGet != null)
    return isElsewhere(probe.httpGet.host) ? null : { port: probe.httpGet.port, path: ['httpGet', 'port'] };
  if (probe?.tcpSocket != null)
    return isElsewhere(probe.tcpSocket.host) ? null : { port: probe.tcpSocket.port, path: ['tcpSocket', 'port'] };
  return probe?.grpc == null ? null : { port: probe.grpc.port, path: ['grpc', 'port'] };
}

function isElsewhere(host: string | undefined): boolean {
  return host !== undefined && host !== '';
}

function portsOf(container: Container): readonly number[] {
  return (container.ports ?? []).map((port) => port.containerPort);
}

/** The revision that is there asks the same undeclared port, and its pods are ready. */
function isProven(workload: Workload, container: string, name: ProbeName, port: number): boolean {
  const pod = workload.isComplete ? livePodOf(workload) : null;
  const live = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].find((each) => each.name === container);
  return live !== undefined && askedPort(live[name])?.port === port && !portsOf(live).includes(port);
}
