import { createHash } from 'node:crypto';
import { type Api, type ApiResource, resourcePath } from '../cluster/api.ts';
import { groupOf, type KubernetesObject, shortName } from '../kubernetes.ts';
import { LEDGER_MANAGER, STAMP } from './marks.ts';

interface Stamp {
  readonly template: string;
  readonly at: string;
  readonly run: string;
}

const STAMPED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

export function isStamped({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>): boolean {
  return groupOf(apiVersion) === 'apps' && STAMPED.has(kind);
}

/**
 * Notes on a workload that its present template works. Nothing is sent if that stands there already.
 *
 * @returns why it could not be noted; empty if it was
 * @throws GateError if no server answers
 */
export async function stamp(
  object: KubernetesObject,
  proof: Omit<Stamp, 'template'>,
  resource: ApiResource,
  api: Api,
): Promise<string> {
  const template = templateHash(object);
  if (stampOf(object)?.template === template) return '';
  const { name, namespace, uid } = object.metadata;
  const value: Stamp = { template, ...proof };
  const answer = await api.request({
    method: 'PATCH',
    path: resourcePath(resource, namespace ?? '', name),
    query: { fieldManager: LEDGER_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    // The uid keeps the apply from making an object that is gone anew.
    body: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { name, namespace, uid, annotations: { [STAMP]: JSON.stringify(value) } },
    },
  });
  if (answer.ok) return '';
  return `${shortName({ kind: object.kind, name: name ?? '' })} could not be stamped as proven: ${answer.failure.message ?? answer.status}`;
}

/** What stands on the workload; null if nothing, or nothing that can be read. */
function stampOf(object: KubernetesObject): Stamp | null {
  try {
    return JSON.parse(object.metadata.annotations?.[STAMP] ?? 'null') as Stamp | null;
  } catch {
    return null;
  }
}

function templateHash(object: KubernetesObject): string {
  const { template } = (object['spec'] ?? {}) as { readonly template?: unknown };
  return createHash('sha256').update(canonical(template)).digest('hex').slice(0, 16);
}

/** The same text for the same value, whatever the order of its fields. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ''
  );
}
