import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { GateError } from '../problem.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { type Entry, isRecord, text } from './kubeconfig-parse.ts';

/** The library's own loader, given one cluster, one context and one user, with the spellings and permissions that it lacks. */
export function buildConfig(cluster: Entry, context: Entry, user: Entry, origin: string): KubeConfig {
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

/** The credential plugin of a user; null if it has none. */
export function execPlugin(user: Entry): ExecPlugin | null {
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

/** What the library does not send of an impersonation: uid, groups and extra fields, as headers. */
export function impersonation(user: Record<string, unknown>): Record<string, string | string[]> {
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
