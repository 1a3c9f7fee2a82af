import { groupOf, type KubernetesObject } from '../kubernetes.ts';
import { hasPods } from './kinds.ts';
import type { Target } from './target.ts';

/** One collection to keep in view: a list and a watch, however many targets it serves. */
export interface Watch {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for kinds that live in no namespace. */
  readonly namespace: string;
  /** Empty where nothing narrower than the whole collection serves all targets. */
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Only of the targets themselves is it asked who changed them. */
  readonly keepManagedFields: boolean;
}

/** The collections that the rules need to judge these targets: one per namespace and kind, as narrow as the API allows. */
export function watchesFor(targets: readonly Target[]): readonly Watch[] {
  const byNamespace = Map.groupBy(targets, (target) => target.ref.namespace);
  return [...byNamespace].flatMap(([namespace, all]) => [
    ...ownWatches(namespace, all),
    ...podWatches(
      namespace,
      all.filter((target) => hasPods(target.ref)),
    ),
  ]);
}

function ownWatches(namespace: string, targets: readonly Target[]): readonly Watch[] {
  const byKind = Map.groupBy(targets, (target) => `${groupOf(target.ref.apiVersion)}/${target.ref.kind}`);
  return [...byKind.values()].flatMap((all) => {
    const first = all[0];
    if (first === undefined || isBarePod(first)) return [];
    const fieldSelector = all.length === 1 ? `metadata.name=${first.ref.name}` : '';
    return [
      {
        apiVersion: first.ref.apiVersion,
        kind: first.ref.kind,
        namespace,
        labelSelector: '',
        fieldSelector,
        keepManagedFields: true,
      },
    ];
  });
}

function isBarePod(target: Target): boolean {
  return target.ref.kind === 'Pod' && target.ref.apiVersion === 'v1';
}

function podWatches(namespace: string, targets: readonly Target[]): readonly Watch[] {
  if (targets.length === 0) return [];
  const bare = targets.some(isBarePod);
  const labelSelector = bare ? '' : commonSelector(targets.map((target) => target.desired));
  const watch = (apiVersion: string, kind: string, selector: string, keepManagedFields = false): Watch => ({
    apiVersion,
    kind,
    namespace,
    labelSelector: selector,
    fieldSelector: '',
    keepManagedFields,
  });
  const deployments = targets.filter((target) => target.ref.kind === 'Deployment').map((target) => target.desired);
  const daemonSets = targets.some((target) => target.ref.kind === 'DaemonSet');
  return [
    watch('v1', 'Pod', labelSelector, bare),
    watch('v1', 'Event', ''),
    ...(deployments.length === 0 || targets.some((target) => target.ref.kind === 'ReplicaSet')
      ? []
      : [watch('apps/v1', 'ReplicaSet', commonSelector(deployments))]),
    ...(daemonSets ? [watch('apps/v1', 'ControllerRevision', '')] : []),
  ];
}

/** A label selector that picks the pods of all these workloads and as few others as can be said; empty if none does. */
export function commonSelector(workloads: readonly KubernetesObject[]): string {
  const selectors = workloads.map(
    (workload) =>
      (workload['spec'] as { selector?: { matchLabels?: Readonly<Record<string, string>> } } | undefined)?.selector
        ?.matchLabels ?? {},
  );
  const first = selectors[0] ?? {};
  const shared = Object.keys(first).filter((key) => selectors.every((selector) => selector[key] !== undefined));
  return shared
    .map((key) => {
      const values = [...new Set(selectors.map((selector) => selector[key] ?? ''))].sort();
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    })
    .join(',');
}
