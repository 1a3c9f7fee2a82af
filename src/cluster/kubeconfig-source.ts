import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { GateError } from '../problem.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One kubeconfig as text. `directory` is what its relative paths start from. */
export interface KubeconfigText {
  readonly name: string;
  readonly directory: string;
  readonly text: string;
}

/** Where the kubeconfig comes from: texts to be merged, or the service account of the pod that runs this. */
export type KubeconfigSource =
  | { readonly kind: 'texts'; readonly texts: readonly KubeconfigText[] }
  | { readonly kind: 'in-cluster' };

export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The input `kubeconfig`, else the files of KUBECONFIG, else ~/.kube/config, else the pod's service account: kubectl's order. Files that
 * KUBECONFIG names and that are not there are skipped, as kubectl does, unless none is there.
 *
 * @throws GateError if there is none, or one cannot be read
 */
export function findKubeconfig(input: string, env: Environment, serviceAccount = SERVICE_ACCOUNT): KubeconfigSource {
  if (input.trim() !== '')
    return {
      kind: 'texts',
      texts: [{ name: 'the input `kubeconfig`', directory: process.cwd(), text: decoded(input) }],
    };
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (named.length > 0) {
    const texts = named.flatMap((file) => readText(file));
    if (texts.length > 0) return { kind: 'texts', texts };
    throw GateError.of(
      `KUBECONFIG names ${named.join(' and ')}, which ${named.length === 1 ? 'does' : 'do'} not exist: write the file before this step, or give its content to the input \`kubeconfig\`.`,
    );
  }
  const home = env['HOME'] ?? env['USERPROFILE'];
  const texts = home === undefined ? [] : readText(join(home, '.kube', 'config'));
  if (texts.length > 0) return { kind: 'texts', texts };
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined && exists(`${serviceAccount}/token`)) return { kind: 'in-cluster' };
  throw GateError.of(
    'No kubeconfig was found: the input `kubeconfig` is empty, KUBECONFIG is not set, ~/.kube/config does not exist, and this does not run in a pod. Give the content of a kubeconfig to the input `kubeconfig`, or run a step before that writes one.',
  );
}

/** Many people keep a kubeconfig base64-encoded in a secret: base64 of something that is not YAML of this shape has no colon. */
function decoded(input: string): string {
  const compact = input.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(compact)) return input;
  const text = Buffer.from(compact, 'base64').toString('utf8');
  return /^\s*["']?(apiVersion|kind|clusters|contexts|users|current-context|preferences)["']?\s*:|^\s*\{/m.test(text)
    ? text
    : input;
}

function readText(file: string): KubeconfigText[] {
  try {
    return [{ name: file, directory: dirname(file), text: readFileSync(file, 'utf8') }];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw GateError.of(`The kubeconfig ${file} cannot be read: ${codeOf(error)}.`, { cause: error });
  }
}

function exists(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
