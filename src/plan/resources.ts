import type { ApiResource } from '../cluster/api.ts';
import { groupOf, type KubernetesObject } from '../kubernetes.ts';
import type { ManifestDocument } from '../manifest/document.ts';

interface DefinitionSpec {
  readonly group?: string;
  readonly scope?: string;
  readonly names?: { readonly kind?: string; readonly plural?: string };
  readonly versions?: readonly { readonly name?: string; readonly served?: boolean }[];
}

/** The resource that a CustomResourceDefinition of the same manifest will serve for a kind; null if none does. */
export function definedResource(
  apiVersion: string,
  kind: string,
  documents: readonly ManifestDocument[],
): ApiResource | null {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const spec = documents
    .filter((document) => isDefinition(document.object))
    .map((document) => (document.object['spec'] ?? {}) as DefinitionSpec)
    .find(
      (each) =>
        each.group === groupOf(apiVersion) &&
        each.names?.kind === kind &&
        each.versions?.some((each) => each.name === version && each.served !== false) === true,
    );
  if (spec?.names?.plural === undefined) return null;
  return { apiVersion, kind, plural: spec.names.plural, namespaced: spec.scope !== 'Cluster' };
}

export function isDefinition(object: KubernetesObject): boolean {
  return object.kind === 'CustomResourceDefinition' && groupOf(object.apiVersion) === 'apiextensions.k8s.io';
}

/** Namespaces that the manifest itself creates. */
export function createdNamespaces(documents: readonly ManifestDocument[]): ReadonlySet<string> {
  const namespaces = documents.filter(
    (document) => document.ref.kind === 'Namespace' && document.ref.apiVersion === 'v1',
  );
  return new Set(namespaces.map((document) => document.ref.name));
}
