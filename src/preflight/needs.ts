import type { Container, LimitRange, PodSpec } from '../kubernetes.ts';
import { parseQuantity, podRequest } from '../quantity.ts';
import type { PreflightScene } from './scene.ts';
import { isNewNamespace, ofKind } from './scene.ts';

/** What a container is given where it says nothing, by resource. */
export interface Defaults {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** What one pod needs of a resource: cores, bytes or a count. Pod-level resources go before those of its containers (KEP-2837). */
export function needOf(pod: PodSpec, field: 'requests' | 'limits', resource: string): number {
  const ofPod = pod.resources?.[field]?.[resource];
  if (ofPod !== undefined) return parseQuantity(ofPod) + parseQuantity(pod.overhead?.[resource]);
  return podRequest({ spec: field === 'requests' ? pod : withLimitsAsRequests(pod) }, resource);
}

function withLimitsAsRequests(pod: PodSpec): PodSpec {
  const limited = (container: Container): Container => ({
    ...container,
    resources: { requests: container.resources?.limits ?? {} },
  });
  return {
    ...pod,
    containers: (pod.containers ?? []).map(limited),
    initContainers: (pod.initContainers ?? []).map(limited),
  };
}

/**
 * What the namespace's LimitRanges give to a container that says nothing; null if they may not be read.
 * Source: pkg/apis/core/v1, SetDefaults_LimitRangeItem; plugin/pkg/admission/limitranger.
 */
export function defaultsIn(scene: PreflightScene, namespace: string): Defaults | null {
  const planned = ofKind(scene, 'v1', 'LimitRange', namespace);
  const known = isNewNamespace(scene, namespace)
    ? { state: 'known' as const, value: [] }
    : scene.look({ kind: 'limit-ranges', namespace });
  if (known.state !== 'known') return null;
  const names = planned.map(({ ref }) => ref.name);
  const live = known.value.filter((range) => !names.includes(range.metadata?.name ?? ''));
  const ranges = [...live, ...planned.map(({ document }) => document.object as unknown as LimitRange)];
  const items = ranges.flatMap((range) => range.spec?.limits ?? []).filter((item) => item.type === 'Container');
  const limits = items.map((item) => ({ ...item.max, ...item._default, ...(item as Raw)['default'] }));
  const requests = items.map((item, index) => ({ ...item.min, ...limits[index], ...item.defaultRequest }));
  return { requests: Object.assign({}, ...requests), limits: Object.assign({}, ...limits) };
}

/** The generated model renames the field `default`; on the wire it keeps its name. */
type Raw = { readonly default?: Readonly<Record<string, string>> };

/** The pod as admission completes it. */
export function completed(pod: PodSpec, defaults: Defaults): PodSpec {
  const complete = (container: Container): Container => {
    const { requests, limits } = container.resources ?? {};
    return {
      ...container,
      resources: {
        requests: { ...defaults.requests, ...limits, ...requests },
        limits: { ...defaults.limits, ...limits },
      },
    };
  };
  return {
    ...pod,
    containers: (pod.containers ?? []).map(complete),
    initContainers: (pod.initContainers ?? []).map(complete),
  };
}
