import type { Status } from '../kubernetes.ts';
import { GateError } from '../problem.ts';
import { type Credential, expiredCertificate } from './credentials.ts';
import { explainFailure, type NetworkFailure } from './failure.ts';
import type { AttemptFailure } from './retry.ts';
import type { WireAnswer } from './wire.ts';

/** A login page, a redirect to one, or anything else that no API server says. */
export function isForeign(answer: WireAnswer): boolean {
  if (answer.status >= 300 && answer.status < 400) return true;
  return answer.status < 300 && answer.contentType.includes('html');
}

/** That it is no API server which answers. */
export function foreignAnswer(server: string, answer: Pick<WireAnswer, 'status' | 'location'>): GateError {
  const what =
    answer.location === undefined ? 'an HTML page' : `a redirect to ${answer.location.replace(/[?#].*/, '')}`;
  return GateError.of(
    `${server} answered ${answer.status} with ${what}, not as a Kubernetes API server: a proxy or a login page stands before it, or the server of the kubeconfig is the address of something else.`,
  );
}

/** That nothing answers, and why. */
export function unanswered(
  server: string,
  proxy: string | null,
  failure: NetworkFailure,
  credential: Credential | null,
  cause: unknown,
): GateError {
  const through = proxy === null ? '' : ` through the proxy ${proxy}`;
  const expired = credential === null ? null : expiredCertificate(credential, Date.now());
  const certificate =
    expired === null || failure.reach !== 'refused-identity'
      ? ''
      : `; the client certificate of the kubeconfig expired on ${expired.toISOString()}`;
  const code = failure.code === '' ? '' : ` [${failure.code}]`;
  return GateError.of(
    `No answer from the API server ${server}${through}: ${explainFailure(failure, server)}${certificate}${code}.`,
    { cause },
  );
}

/** The refusal with what the server does not say: that the certificate is over. */
export function explain401(failure: Status, credential: Credential): Status {
  const expired = expiredCertificate(credential, Date.now());
  if (expired === null) return failure;
  return {
    ...failure,
    message: `${failure.message ?? 'Unauthorized'}: the client certificate of the kubeconfig expired on ${expired.toISOString()}`,
  };
}

/** A failed attempt in a few words. */
export function wordsOf(failure: AttemptFailure, server: string): string {
  return failure.kind === 'network'
    ? explainFailure(failure.failure, server)
    : `the server answered ${failure.status} (${failure.message.split('\n')[0]})`;
}
