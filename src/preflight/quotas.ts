import type { ResourceQuota } from '../kubernetes.ts';
import { isNewNamespace, ofKind, type PreflightScene } from './scene.ts';

/** A ResourceQuota as it will stand once the manifest is applied. */
export interface Quota {
  readonly name: string;
  readonly hard: Readonly<Record<string, string>>;
  readonly used: Readonly<Record<string, string>>;
}

/** A resource of a quota that is about pods. */
export interface Counted {
  /** As the quota names it. */
  readonly name: string;
  readonly field: 'requests' | 'limits';
  readonly resource: string;
}

/**
 * The quotas that hold for every pod of the namespace; empty if they may not be read. Those with a scope hold for some pods only, and a new
 * quota in an old namespace has counted nothing yet: both are left out.
 */
export function quotasIn(scene: PreflightScene, namespace: string): readonly Quota[] {
  const isNew = isNewNamespace(scene, namespace);
  const known = isNew ? { state: 'known' as const, value: [] } : scene.look({ kind: 'quotas', namespace });
  if (known.state !== 'known') return [];
  const planned = ofKind(scene, 'v1', 'ResourceQuota', namespace);
  const names = planned.map(({ ref }) => ref.name);
  const live = known.value.filter((quota) => !names.includes(quota.metadata?.name ?? ''));
  const coming = planned.flatMap(({ document, live: before }) => {
    const quota = document.object as unknown as ResourceQuota;
    const counted = (before as ResourceQuota | null)?.status;
    if (counted === undefined && !isNew) return [];
    return [{ ...quota, status: { used: counted?.used ?? {} } }];
  });
  return [...live, ...coming].filter(isForAll).map((quota) => ({
    name: quota.metadata?.name ?? '',
    hard: quota.spec?.hard ?? {},
    used: quota.status?.used ?? {},
  }));
}

function isForAll({ spec }: ResourceQuota): boolean {
  return (spec?.scopes ?? []).length === 0 && spec?.scopeSelector == null;
}

/** null: it counts something else than pods and what they need. Source: pkg/quota/v1/evaluator/core, pods.go. */
export function countedBy(name: string): Counted | null {
  if (name === 'pods' || name === 'count/pods') return { name, field: 'requests', resource: 'pods' };
  if (['cpu', 'memory', 'ephemeral-storage'].includes(name)) return { name, field: 'requests', resource: name };
  const [, field, resource = ''] = /^(requests|limits)\.(.+)$/.exec(name) ?? [];
  if (field === undefined || resource === 'storage') return null;
  return { name, field: field as Counted['field'], resource };
}
