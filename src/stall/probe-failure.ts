/** Ways in which a readiness probe does not pass. */
export type ProbeFailure =
  | 'cannot-run'
  | 'unknown-port'
  | 'client-error'
  | 'wrong-scheme'
  | 'refused'
  | 'server-error'
  | 'timeout'
  | 'exit-code'
  | 'unknown';

/** What a probe said last. */
export interface Failure {
  readonly kind: ProbeFailure;
  readonly message: string;
  readonly count: number;
}

/** Tells the failures apart by the kubelet's words. Source: pkg/kubelet/prober, pkg/probe. */
export function classifyProbeFailure(message: string): ProbeFailure {
  if (/errored/.test(message) && /invalid syntax|strconv|couldn't find port|unable to find port/i.test(message))
    return 'unknown-port';
  if (cannotRun(message)) return 'cannot-run';
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

/**
 * The command itself could not be started. A command that ran and complains of a missing file ("cat: /tmp/ready: No such file or directory")
 * is the usual way of saying "not yet".
 */
function cannotRun(message: string): boolean {
  const byRuntime = /errored and resulted in unknown state|OCI runtime exec failed|failed to exec in container/.test(
    message,
  );
  const notStarted = /executable file not found|no such file or directory|permission denied|exec format error/i.test(
    message,
  );
  return byRuntime && notStarted;
}
