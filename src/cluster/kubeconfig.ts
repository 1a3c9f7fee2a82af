import { readFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { GateError } from '../problem.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { buildConfig, execPlugin, impersonation } from './kubeconfig-build.ts';
import { type Entry, type Kubeconfig, mergeKubeconfigs, parseKubeconfig, text } from './kubeconfig-parse.ts';
import { secretsOfUser } from './kubeconfig-secrets.ts';
import { type Environment, findKubeconfig, SERVICE_ACCOUNT } from './kubeconfig-source.ts';

/** The context that is used, with what the library does not read itself. */
export interface LoadedKubeconfig {
  readonly config: KubeConfig;
  /** Where it came from, for messages. */
  readonly origin: string;
  readonly context: string;
  readonly user: string;
  /** As the kubeconfig says it. */
  readonly server: string;
  readonly namespace: string;
  readonly exec: ExecPlugin | null;
  /** `as-groups`, `as-uid` and `as-user-extra` as headers. */
  readonly impersonation: Readonly<Record<string, string | string[]>>;
}

/**
 * Finds, merges and checks the kubeconfig.
 *
 * @param onSecret told of every secret value in it, each one by itself, before anything else happens
 * @throws GateError that says what is wrong with it and in which file
 */
export function loadKubeconfig(
  options: { readonly kubeconfig: string; readonly context: string },
  env: Environment,
  onSecret: (value: string) => void,
): LoadedKubeconfig {
  const source = findKubeconfig(options.kubeconfig, env);
  if (source.kind === 'in-cluster') return inCluster(env, onSecret);
  const parsed = source.texts.map((text) => parseKubeconfig(text));
  for (const { users, clusters } of parsed)
    for (const entry of [...users, ...clusters]) for (const secret of secretsOfUser(entry.body)) onSecret(secret);
  return choose(mergeKubeconfigs(parsed), options.context, source.texts.map((text) => text.name).join(' + '));
}

function choose(merged: Kubeconfig, wanted: string, origin: string): LoadedKubeconfig {
  const names = merged.contexts.map((entry) => entry.name);
  const listed = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  const only = names.length === 1 ? names[0] : undefined;
  const name = wanted === '' ? merged.currentContext || only : wanted;
  if (name === undefined)
    throw GateError.of(
      `The kubeconfig in ${origin} has no current-context: name one in the input \`context\` (${listed}).`,
    );
  const context = merged.contexts.find((entry) => entry.name === name);
  if (context === undefined) throw GateError.of(`The kubeconfig in ${origin} has no context "${name}": ${listed}.`);
  const cluster = merged.clusters.find((entry) => entry.name === context.body['cluster']);
  if (cluster === undefined)
    throw GateError.of(
      `The context "${name}" of the kubeconfig in ${origin} names the cluster "${text(context.body['cluster'])}", which it does not define.`,
    );
  const userName = text(context.body['user']);
  const user = merged.users.find((entry) => entry.name === userName);
  if (user === undefined && userName !== '')
    throw GateError.of(
      `The context "${name}" of the kubeconfig in ${origin} names the user "${userName}", which it does not define.`,
    );
  const server = text(cluster.body['server']);
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw GateError.of(
      `The cluster "${cluster.name}" of the kubeconfig in ${origin} has no usable server: "${withoutCredentials(server)}" is not an http(s) address.`,
    );
  const account: Entry = user ?? { name: 'anonymous', body: {}, directory: '' };
  return {
    config: buildConfig(cluster, context, account, origin),
    origin,
    context: name,
    user: account.name,
    server,
    namespace: text(context.body['namespace']) || 'default',
    exec: execPlugin(account),
    impersonation: impersonation(account.body),
  };
}

function inCluster(env: Environment, onSecret: (value: string) => void): LoadedKubeconfig {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`;
  const token = readFileSync(`${SERVICE_ACCOUNT}/token`, 'utf8').trim();
  onSecret(token);
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'in-cluster', server, caFile: `${SERVICE_ACCOUNT}/ca.crt`, skipTLSVerify: false },
    { name: 'service-account', authProvider: { name: 'tokenFile', config: { tokenFile: `${SERVICE_ACCOUNT}/token` } } },
  );
  const namespace = readFileSync(`${SERVICE_ACCOUNT}/namespace`, 'utf8').trim() || 'default';
  return {
    config,
    origin: "the pod's service account",
    context: 'in-cluster',
    user: 'service-account',
    server,
    namespace,
    exec: null,
    impersonation: {},
  };
}

/** An address as it may be shown. */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}
