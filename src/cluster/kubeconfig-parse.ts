import { isMap, parseDocument } from 'yaml';
import { GateError } from '../problem.ts';
import type { KubeconfigText } from './kubeconfig-source.ts';

/** A cluster, context or user. Relative paths in it start from `directory`. */
export interface Entry {
  readonly name: string;
  readonly body: Record<string, unknown>;
  readonly directory: string;
}

export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: readonly Entry[];
  readonly contexts: readonly Entry[];
  readonly users: readonly Entry[];
}

/** As kubectl merges: of two entries of the same name, and of two current contexts, the first counts. */
export function mergeKubeconfigs(parsed: readonly Kubeconfig[]): Kubeconfig {
  const first = (entries: readonly Entry[]) =>
    [...new Map([...entries].reverse().map((entry) => [entry.name, entry])).values()].reverse();
  return {
    currentContext: parsed.map((one) => one.currentContext).find((name) => name !== '') ?? '',
    clusters: first(parsed.flatMap((one) => one.clusters)),
    contexts: first(parsed.flatMap((one) => one.contexts)),
    users: first(parsed.flatMap((one) => one.users)),
  };
}

/** @throws GateError that names the file and the line, and never quotes it */
export function parseKubeconfig({ name, directory, text }: KubeconfigText): Kubeconfig {
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

/** A scalar as text; empty for anything else. */
export function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
