import type { Probe } from '../kubernetes.ts';
import type { ProbeFailure } from './probe-failure.ts';

/** The port that a probe asks, by number or name; null for a command. */
export function probePort(probe: Probe): number | string | null {
  return probe.httpGet?.port ?? probe.tcpSocket?.port ?? probe.grpc?.port ?? null;
}

/** The probe in a few words, as messages name it. */
export function describeProbe(probe: Probe): string {
  if (probe.httpGet !== undefined)
    return `${probe.httpGet.scheme ?? 'HTTP'} GET ${probe.httpGet.path ?? '/'} on port ${probe.httpGet.port}`;
  if (probe.tcpSocket !== undefined) return `TCP on port ${probe.tcpSocket.port}`;
  if (probe.grpc !== undefined) return `gRPC on port ${probe.grpc.port}`;
  return `exec ${(probe.exec?.command ?? []).join(' ').slice(0, 120)}`;
}

/** The field of the probe that a failure of this kind points to. */
export function fieldFor(probe: Probe, kind: ProbeFailure): readonly string[] {
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
