import assert from 'node:assert/strict';
import { gate, kubectl } from './cluster.ts';

interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}

interface Live {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly ManagedFields[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

/** What is asked for in a namespace, and by whom: each object by `Kind/name`, without what its controllers report. */
export type NamespaceState = ReadonlyMap<string, unknown>;

const KINDS = 'deployments,statefulsets,daemonsets,configmaps,secrets,services,horizontalpodautoscalers';
/** Numbers of revisions, which only grow. */
const NUMBERS = ['deployment.kubernetes.io/revision', 'deprecated.daemonset.template.generation'];

export async function readState(namespace: string): Promise<NamespaceState> {
  const text = await kubectl(['get', KINDS, '-n', namespace, '-o', 'json', '--show-managed-fields']);
  const { items } = JSON.parse(text) as { readonly items: readonly Live[] };
  return new Map(items.filter(isAsked).map((live) => [`${live.kind}/${live.metadata.name}`, askedOf(live)]));
}

/** Neither the ledger nor what the cluster puts into each namespace. */
function isAsked({ kind, metadata }: Live): boolean {
  return metadata.name !== 'kube-root-ca.crt' && !(kind === 'Secret' && metadata.name.startsWith('rollout-gate'));
}

function askedOf({ metadata, spec, data }: Live): unknown {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !NUMBERS.includes(name));
  const owners = (metadata.managedFields ?? [])
    .filter((entry) => entry.subresource === undefined && !isOfController(entry))
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }))
    .sort((a, b) => a.manager.localeCompare(b.manager) || a.operation.localeCompare(b.operation));
  return { labels: metadata.labels, annotations: Object.fromEntries(annotations), spec, data, owners };
}

function isOfController({ manager }: ManagedFields): boolean {
  return manager === 'kube-controller-manager';
}

/** All is as it was: fields, owners, objects; and the manifest of then has nothing to change. */
export async function expectBack(namespace: string, before: NamespaceState, manifest: string): Promise<void> {
  assert.deepEqual(await readState(namespace), before);
  const plan = await gate(manifest, { mode: 'plan' });
  assert.deepEqual(
    plan.report.changes.filter((change) => change.action !== 'unchanged'),
    [],
    plan.log,
  );
}

/** The image of a workload's first container. */
export async function imageOf(namespace: string, workload: string): Promise<string> {
  const path = 'jsonpath={.spec.template.spec.containers[0].image}';
  return kubectl(['get', workload, '-n', namespace, '-o', path]);
}
