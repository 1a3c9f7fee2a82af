import type { Cluster } from '@kubernetes/client-node';
import { Agent, type buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { GateError } from '../problem.ts';
import type { Credential } from './credentials.ts';
import { type LoadedKubeconfig, withoutCredentials } from './kubeconfig.ts';
import type { Environment } from './kubeconfig-source.ts';
import { proxyFor } from './proxy.ts';

/** One pool of connections for all requests of a credential; a new client certificate needs a new pool. */
export interface Dispatchers {
  readonly for: (credential: Credential) => Dispatcher;
  /** The proxy's address without credentials; null if the connection is direct. */
  readonly proxy: string | null;
  readonly close: () => Promise<void>;
}

/**
 * HTTP/1.1 on purpose: with HTTP/2 a connection that breaks takes all watches with it and looks like their clean end.
 *
 * @throws GateError if the proxy's address cannot be used
 */
export function createDispatchers(
  kubeconfig: LoadedKubeconfig,
  env: Environment,
  connectTimeoutMs: number,
): Dispatchers {
  const cluster = kubeconfig.config.getCurrentCluster();
  const proxy = cluster?.proxyUrl ?? proxyFor(new URL(kubeconfig.server), env);
  let held: { readonly key: string; readonly dispatcher: Dispatcher } | null = null;
  return {
    proxy: proxy === null ? null : withoutCredentials(proxy),
    for: (credential) => {
      const key = JSON.stringify(credential.tls);
      if (held?.key === key) return held.dispatcher;
      // Watches still run on the old pool: it closes when they end.
      held?.dispatcher.close().catch(() => undefined);
      held = { key, dispatcher: build(kubeconfig, cluster, proxy, credential, connectTimeoutMs) };
      return held.dispatcher;
    },
    close: async () => {
      await held?.dispatcher.destroy();
    },
  };
}

function build(
  kubeconfig: LoadedKubeconfig,
  cluster: Cluster | null,
  proxy: string | null,
  credential: Credential,
  timeout: number,
): Dispatcher {
  const through = cluster === null || proxy === null ? cluster : { ...cluster, proxyUrl: proxy };
  const options = kubeconfig.config.createDispatcherOptions(through, credential.tls);
  if (options.type === 'agent') return new Agent({ allowH2: false, connect: connectOptions(options.connect, timeout) });
  if (options.type === 'none')
    return new Agent({ allowH2: false, connect: { timeout, keepAlive: true, keepAliveInitialDelay: 30_000 } });
  if (!/^(https?|socks5?|socks5h):\/\//.test(options.uri) || !URL.canParse(options.uri)) {
    throw GateError.of(
      `The proxy ${withoutCredentials(options.uri)} cannot be used: an http://, https:// or socks5:// address was expected.`,
    );
  }
  const uri = options.uri.replace(/^socks5h:/, 'socks5:');
  return new ProxyAgent({
    uri,
    allowH2: false,
    requestTls: connectOptions(options.requestTls, timeout),
    proxyTls: { timeout },
  });
}

/** The library types its options for node:tls with `undefined` allowed; what it sets never is. */
function connectOptions(tls: object, timeout: number): buildConnector.BuildOptions {
  return { ...tls, timeout };
}
