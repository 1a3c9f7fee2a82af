import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { isMap, parseDocument } from 'yaml';
import { GateError } from '../problem.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { secretsOfUser } from './kubeconfig-secrets.ts';
import { type Environment, findKubeconfig, type KubeconfigText, SERVICE_ACCOUNT } from './kubeconfig-source.ts';

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

interface Entry {
  readonly name: string;
  readonly body: Record<string, unknown>;
  readonly directory: string;
}

interface Parsed {
  readonly currentContext: string;
  readonly clusters: readonly Entry[];
  readonly contexts: readonly Entry[];
  readonly users: readonly Entry[];
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
  const parsed = source.texts.map((text) => parse(text));
  for (const { users, clusters } of parsed)
    for (const entry of [...users, ...clusters]) for (const secret of secretsOfUser(entry.body)) onSecret(secret);
  return choose(merge(parsed), options.context, source.texts.map((text) => text.name).join(' + '));
}

/** As kubectl merges: of two entries of the same name, and of two current contexts, the first counts. */
function merge(parsed: readonly Parsed[]): Parsed {
  const first = (entries: readonly Entry[]) =>
    [...new Map([...entries].reverse().map((entry) => [entry.name, entry])).values()].reverse();
  return {
    currentContext: parsed.map((one) => one.currentContext).find((name) => name !== '') ?? '',
    clusters: first(parsed.flatMap((one) => one.clusters)),
    contexts: first(parsed.flatMap((one) => one.contexts)),
    users: first(parsed.flatMap((one) => one.users)),
  };
}

function parse({ name, directory, text }: KubeconfigText): Parsed {
  const document = parseDocument(text, { logLevel: 'silent', stringKeys: true });
  const error = document.errors[0];
  // The parser's message would quote the line, which may hold a secret.
  if (error !== undefined)
    throw GateError.of(
      `The kubeconfig in ${name} is not valid YAML (line ${error.linePos?.[0].line ?? 1}: ${error.code}).`,
    );
  if (!isMap(document.contents))
    throw GateError.of(
      `The kubeconfig in ${name} is not a kubeconfig: it must be a mapping with clusters, contexts and users.${pathHint(text)}`,
    );
  const root = document.toJS() as Record<string, unknown>;
  const current = root['current-context'];
  return {
    currentContext: typeof current === 'string' ? current : '',
    clusters: entries(root['clusters'], 'cluster', directory),
    contexts: entries(root['contexts'], 'context', directory),
    users: entries(root['users'], 'user', directory),
  };
}

function pathHint(text: string): string {
  return /^\s*\S*[/\\]\S*\s*$/.test(text)
    ? ' It looks like a path: the input `kubeconfig` takes the content; for a file set the environment variable KUBECONFIG.'
    : '';
}

function entries(list: unknown, key: string, directory: string): Entry[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isRecord(item) || typeof item['name'] !== 'string') return [];
    const body = item[key];
    return [{ name: item['name'], body: isRecord(body) ? body : {}, directory }];
  });
}

function choose(merged: Parsed, wanted: string, origin: string): LoadedKubeconfig {
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
    config: build(cluster, context, account, origin),
    origin,
    context: name,
    user: account.name,
    server,
    namespace: text(context.body['namespace']) || 'default',
    exec: execPlugin(account),
    impersonation: impersonation(account.body),
  };
}

/** The library's own loader, given one cluster, one context and one user, with the spellings and permissions that it lacks. */
function build(cluster: Entry, context: Entry, user: Entry, origin: string): KubeConfig {
  const tokenFile = user.body['tokenFile'];
  const plain = text(cluster.body['server']).startsWith('http:');
  const config = new KubeConfig();
  const file = (entry: Entry, key: string) => absolute(entry, key, origin);
  config.loadFromString(
    JSON.stringify({
      'current-context': context.name,
      clusters: [
        {
          name: cluster.name,
          cluster: {
            ...cluster.body,
            ...file(cluster, 'certificate-authority'),
            ...(plain ? { 'insecure-skip-tls-verify': true } : {}),
          },
        },
      ],
      contexts: [{ name: context.name, context: { ...context.body, user: user.name } }],
      users: [
        {
          name: user.name,
          user: {
            ...user.body,
            ...file(user, 'client-certificate'),
            ...file(user, 'client-key'),
            exec: undefined,
            ...(typeof tokenFile === 'string'
              ? { token: undefined, 'auth-provider': { name: 'tokenFile', config: file(user, 'tokenFile') } }
              : {}),
          },
        },
      ],
    }),
  );
  return config;
}

function absolute(entry: Entry, key: string, origin: string): Record<string, string> {
  const file = entry.body[key];
  if (typeof file !== 'string' || file === '') return {};
  const path = isAbsolute(file) ? file : join(entry.directory, file);
  try {
    readFileSync(path);
  } catch (error) {
    throw GateError.of(
      `"${entry.name}" of the kubeconfig in ${origin} names ${key} ${path}, which cannot be read. Embed it (kubectl config view --raw --flatten), or write the file before this step.`,
      { cause: error },
    );
  }
  return { [key]: path };
}

function execPlugin(user: Entry): ExecPlugin | null {
  const exec = user.body['exec'];
  if (!isRecord(exec)) return null;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const command = text(exec['command']);
  const relative = command.includes('/') && !isAbsolute(command);
  return {
    apiVersion: text(exec['apiVersion']),
    command: relative ? join(user.directory, command) : command,
    args: list(exec['args']).map((argument) => String(argument)),
    env: Object.fromEntries(
      list(exec['env']).flatMap((item) => (isRecord(item) ? [[text(item['name']), text(item['value'])]] : [])),
    ),
    provideClusterInfo: exec['provideClusterInfo'] === true,
    installHint: text(exec['installHint']).trim(),
  };
}

function impersonation(user: Record<string, unknown>): Record<string, string | string[]> {
  const groups = user['as-groups'];
  const extra = user['as-user-extra'];
  return {
    ...(typeof user['as-uid'] === 'string' ? { 'Impersonate-Uid': user['as-uid'] } : {}),
    ...(Array.isArray(groups) ? { 'Impersonate-Group': groups.map(String) } : {}),
    ...(isRecord(extra)
      ? Object.fromEntries(
          Object.entries(extra).map(([key, value]) => [
            `Impersonate-Extra-${encodeURIComponent(key)}`,
            [value].flat().map(String),
          ]),
        )
      : {}),
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

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
