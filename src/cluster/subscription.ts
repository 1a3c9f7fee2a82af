import { groupOf, type KubernetesObject } from '../kubernetes.ts';
import type { ApiResource } from './api.ts';

/** One collection to keep in view: a list, and a watch of what becomes of it. */
export interface Subscription {
  readonly resource: ApiResource;
  /** Empty: all namespaces, or a kind that lives in none. */
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Managed fields are most of an object's size: they are dropped on arrival unless asked for. */
  readonly keepManagedFields?: boolean;
}

/** `list pods in shop`: a right as a person would name it. */
export function rightTo(verb: string, resource: ApiResource, namespace: string): string {
  const group = groupOf(resource.apiVersion);
  return `${verb} ${resource.plural}${group === '' ? '' : `.${group}`}${namespace === '' ? '' : ` in ${namespace}`}`;
}

/** The selectors as query parameters. */
export function selectorsOf(
  subscription: Pick<Subscription, 'labelSelector' | 'fieldSelector'>,
): Record<string, string> {
  const { labelSelector = '', fieldSelector = '' } = subscription;
  return { ...(labelSelector === '' ? {} : { labelSelector }), ...(fieldSelector === '' ? {} : { fieldSelector }) };
}

/** An object as it is passed on: items of a typed list name neither their kind nor their version. */
export function arrived(
  item: KubernetesObject,
  subscription: Pick<Subscription, 'resource' | 'keepManagedFields'>,
): KubernetesObject {
  const { apiVersion, kind } = subscription.resource;
  const { managedFields, ...metadata } = item.metadata;
  const kept =
    subscription.keepManagedFields === true && managedFields !== undefined ? { ...metadata, managedFields } : metadata;
  return { ...item, apiVersion, kind, metadata: kept };
}
