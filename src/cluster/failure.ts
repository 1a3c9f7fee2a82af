import type { Status } from '../kubernetes.ts';

/** How far a request came that got no answer. `refused-identity`: a certificate was not accepted, by either side. */
export type Reach = 'never-reached' | 'broken' | 'refused-identity' | 'unknown';

/** Why there is no answer: the code of the error that lies deepest, and its own words. */
export interface NetworkFailure {
  readonly reach: Reach;
  readonly code: string;
  readonly words: string;
}

const NEVER_REACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RESPONSE',
  'ATTEMPT_TIMEOUT',
  'TRUNCATED',
]);

const UNTRUSTED = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);

/** An attempt that got no whole answer in time: told apart from an abort that the caller asked for. */
export function attemptTimeout(milliseconds: number): Error {
  return Object.assign(new Error(`no whole answer within ${milliseconds / 1_000} s`), { code: 'ATTEMPT_TIMEOUT' });
}

/** An answer whose JSON ends too early: the connection was cut by something between. */
export function truncated(cause: unknown): Error {
  return Object.assign(new Error('the answer was cut off', { cause }), { code: 'TRUNCATED' });
}

/** Reads an error of undici, node:tls or node:dns by its codes; messages are only quoted, never matched. */
export function networkFailure(error: unknown): NetworkFailure {
  const chain = causes(error);
  const coded = chain.findLast((link) => codeOf(link) !== '');
  const code = coded === undefined ? '' : codeOf(coded);
  const words = (coded ?? chain[0])?.message.split('\n')[0] ?? String(error);
  return { reach: reachOf(code), code, words };
}

function reachOf(code: string): Reach {
  if (NEVER_REACHED.has(code)) return 'never-reached';
  if (BROKEN.has(code) || code.startsWith('HPE_')) return 'broken';
  if (
    UNTRUSTED.has(code) ||
    code.startsWith('CERT_') ||
    code.startsWith('ERR_TLS_') ||
    code.startsWith('ERR_SSL_') ||
    code === 'EPROTO'
  ) {
    return 'refused-identity';
  }
  return 'unknown';
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let link: unknown = error; link instanceof Error && chain.length < 8; link = link.cause) chain.push(link);
  return chain;
}

function codeOf(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** One sentence without a full stop: why the server gave no answer, and what to look at. `server` is an address without credentials. */
export function explainFailure(failure: NetworkFailure, server: string): string {
  const host = URL.canParse(server) ? new URL(server).hostname : server;
  switch (failure.code) {
    case 'ECONNREFUSED':
      return 'the connection was refused: nothing listens at this address, or a firewall rejects it';
    case 'ENOTFOUND':
      return `the host name ${host} is unknown: check the server of the kubeconfig, and whether a private name can be resolved from this runner`;
    case 'EAI_AGAIN':
      return `the name server did not answer for ${host}`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `there is no route to ${host} from this runner`;
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
    case 'ATTEMPT_TIMEOUT':
      return 'there was no answer in time: a firewall drops the packets, or the endpoint is private and cannot be reached from this runner';
    case 'CERT_HAS_EXPIRED':
      return "the server's certificate has expired";
    case 'CERT_NOT_YET_VALID':
      return "the server's certificate is not valid yet: check the clock of this runner";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the server's certificate is not for ${host} (${failure.words}): use a name that it lists, or set tls-server-name in the kubeconfig`;
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'the server does not speak TLS at this address: it may be an http:// server, or a proxy';
    default:
      return explainKind(failure);
  }
}

function explainKind(failure: NetworkFailure): string {
  if (UNTRUSTED.has(failure.code)) {
    return `the server's certificate is signed by an authority that is not trusted (${failure.words}): certificate-authority-data of the kubeconfig belongs to another cluster, or a proxy intercepts TLS`;
  }
  if (failure.code.startsWith('ERR_SSL_') || failure.code === 'EPROTO')
    return `TLS could not be agreed on (${failure.words})`;
  if (failure.reach === 'broken') return `the connection was closed before the answer was complete (${failure.words})`;
  return failure.words;
}

/** A refusal as the server stated it, or made up from a text that something before the server wrote (a proxy, a load balancer). */
export function statusOf(code: number, body: unknown, server: string): Status {
  if (isStatus(body)) return body;
  const text =
    typeof body === 'string'
      ? body.replace(/<(style|script|head)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
      : JSON.stringify(body ?? '');
  const words = text.replace(/\s+/g, ' ').trim().slice(0, 300);
  const said = words === '' ? 'without a word' : `with: ${words}`;
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: `${server} answered ${code} ${said}` };
}

function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Status';
}
