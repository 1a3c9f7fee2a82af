import { X509Certificate } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import { GateError } from '../problem.ts';
import { type ExecCluster, type ExecCredential, runExecPlugin } from './exec-plugin.ts';
import type { LoadedKubeconfig } from './kubeconfig.ts';
import type { Environment } from './kubeconfig-source.ts';

/** What one request is sent with. Two credentials that are the same object are the same. */
export interface Credential {
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: {
    readonly ca?: Material;
    readonly cert?: Material;
    readonly key?: Material;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
}

type Material = string | Buffer;

export interface Credentials {
  /** The credential of now, renewed if it is about to expire. Parallel callers share one renewal. */
  readonly current: () => Promise<Credential>;
  /** The server refused `refused` with 401: a newer one, or null if there is none to be had. */
  readonly renew: (refused: Credential) => Promise<Credential | null>;
}

/** Renewed this long before it expires, in milliseconds, so that a request under way does not lose its credential. */
const EXPIRY_SKEW = 60_000;
/** How long a credential from files or an auth provider is used before it is read again, as client-go does. */
const REREAD_AFTER = 60_000;

/**
 * @param onSecret told of every credential that comes from a plugin or a file, before it is used
 * @throws GateError from both functions, if a plugin fails
 */
export function createCredentials(
  kubeconfig: LoadedKubeconfig,
  env: Environment,
  onSecret: (value: string) => void,
  pluginTimeoutMs: number,
): Credentials {
  let held: { readonly credential: Credential; readonly until: number } | null = null;
  let underWay: Promise<Credential> | null = null;

  function fetch(): Promise<Credential> {
    underWay ??= obtain()
      .then(({ credential, until }) => {
        const same = held !== null && fingerprint(held.credential) === fingerprint(credential);
        held = { credential: same && held !== null ? held.credential : credential, until };
        return held.credential;
      })
      .finally(() => {
        underWay = null;
      });
    return underWay;
  }

  async function obtain(): Promise<{ credential: Credential; until: number }> {
    const options = await libraryOptions(kubeconfig);
    const base = { headers: { ...plainHeaders(options), ...kubeconfig.impersonation }, tls: tlsOf(options) };
    if (kubeconfig.exec === null) {
      announce(base, onSecret);
      return { credential: base, until: Date.now() + REREAD_AFTER };
    }
    const answer = await runExecPlugin(kubeconfig.exec, execCluster(kubeconfig), env, pluginTimeoutMs);
    for (const secret of [answer.token, ...(answer.key ?? '').split('\n')])
      if (secret !== null && secret.length > 5 && !secret.startsWith('-----')) onSecret(secret);
    const until = answer.expiresAt === null ? Number.POSITIVE_INFINITY : soonBefore(answer.expiresAt);
    return { credential: withPlugin(base, answer), until };
  }

  return {
    current: async () => (held !== null && Date.now() < held.until ? held.credential : fetch()),
    renew: async (refused) => {
      if (held !== null && held.credential !== refused) return held.credential;
      const credential = await fetch();
      return credential === refused ? null : credential;
    },
  };
}

/** A short-lived credential is renewed at four fifths of what is left, so that the skew never makes each request run the plugin. */
function soonBefore(expiresAt: number): number {
  const left = expiresAt - Date.now();
  return Date.now() + Math.max(left - EXPIRY_SKEW, left * 0.8);
}

async function libraryOptions(kubeconfig: LoadedKubeconfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  try {
    await kubeconfig.config.applyToHTTPSOptions(options);
  } catch (error) {
    const words = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw GateError.of(
      `The credentials of the user "${kubeconfig.user}" of the kubeconfig in ${kubeconfig.origin} cannot be used: ${words}.`,
      { cause: error },
    );
  }
  return options;
}

function plainHeaders(options: RequestOptions): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (Array.isArray(value)) headers[name] = value.map(String);
    else if (value !== undefined) headers[name] = String(value).trim();
  }
  if (typeof options.auth === 'string')
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}

function tlsOf(options: RequestOptions): Credential['tls'] {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return {
    ...(isMaterial(ca) ? { ca } : {}),
    ...(isMaterial(cert) ? { cert } : {}),
    ...(isMaterial(key) ? { key } : {}),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}

function isMaterial(value: unknown): value is Material {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

function withPlugin(base: Credential, answer: ExecCredential): Credential {
  return {
    headers: answer.token === null ? base.headers : { ...base.headers, Authorization: `Bearer ${answer.token}` },
    tls: answer.cert === null || answer.key === null ? base.tls : { ...base.tls, cert: answer.cert, key: answer.key },
  };
}

function announce(credential: Credential, onSecret: (value: string) => void): void {
  const authorization = credential.headers['Authorization'];
  if (typeof authorization === 'string') onSecret(authorization.replace(/^\w+ /, ''));
}

function execCluster({ config, server }: LoadedKubeconfig): ExecCluster {
  const cluster = config.getCurrentCluster();
  return {
    server,
    ...(cluster?.caData === undefined ? {} : { 'certificate-authority-data': cluster.caData }),
    ...(cluster?.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster?.skipTLSVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(cluster?.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
  };
}

function fingerprint(credential: Credential): string {
  return JSON.stringify(credential);
}

/** The end of a client certificate's life, if it is over: the server then says no more than 401. */
export function expiredCertificate(credential: Credential, now: number): Date | null {
  const { cert } = credential.tls;
  if (cert === undefined) return null;
  try {
    const end = new Date(new X509Certificate(cert).validTo);
    return end.getTime() < now ? end : null;
  } catch {
    return null;
  }
}
