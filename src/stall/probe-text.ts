import type { Probe } from '../kubernetes.ts';
import { probePort } from './probe.ts';
import type { Failure, ProbeFailure } from './probe-failure.ts';
import type { ContainerScene } from './scene.ts';

/** What to say of a readiness probe that does not pass, and what to do. */
export interface ProbeText {
  readonly summary: string;
  readonly remedy: string;
  readonly value: string | null;
}

export const PROBE_TEXT: Readonly<
  Record<ProbeFailure, (container: ContainerScene, probe: Probe, failure: Failure) => ProbeText>
> = {
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
