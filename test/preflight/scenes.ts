import type { KubernetesObject } from '../../src/kubernetes.ts';
import type { Planned } from '../../src/plan/planned.ts';
import { preflight } from '../../src/preflight/preflight.ts';
import type { PreflightScene } from '../../src/preflight/scene.ts';
import type { Warning } from '../../src/preflight/warning.ts';
import type { Look } from '../../src/rollout/rollout.ts';
import type { Known, Lookup } from '../../src/rollout/view.ts';
import { manifest } from '../plan/server.ts';

/** What the cluster answers; null: it forbids the read. */
export type Answer = (lookup: Lookup) => unknown;

export interface Situation {
  /** Documents of YAML. */
  readonly yaml: string;
  /** The live objects by name of kind and name: `Deployment/web`. */
  readonly live?: Readonly<Record<string, KubernetesObject>>;
  /** Paths that the apply changes, by the same names; those of a live object without an entry stay. */
  readonly changes?: Readonly<Record<string, Planned['changes']>>;
  readonly answer?: Answer;
}

/** A cluster of two nodes in which the named objects exist and nothing else. */
export function cluster(
  facts: Partial<Record<Lookup['kind'], unknown>> & { readonly existing?: readonly string[] } = {},
): Answer {
  return (lookup) => {
    if (lookup.kind === 'exists') return (facts.existing ?? []).includes(`${lookup.ref.kind}/${lookup.ref.name}`);
    if (lookup.kind in facts) {
      const fact = facts[lookup.kind];
      return typeof fact === 'function' ? fact(lookup) : fact;
    }
    if (lookup.kind === 'nodes') return [node('a', '2', '4Gi'), node('b', '2', '4Gi')];
    if (lookup.kind === 'has-pods') return false;
    return lookup.kind === 'config-map' || lookup.kind === 'object' ? null : [];
  };
}

export function node(
  name: string,
  cpu: string,
  memory: string,
  labels: Readonly<Record<string, string>> = {},
): unknown {
  return { metadata: { name, labels }, spec: {}, status: { allocatable: { cpu, memory } } };
}

export function sceneOf({ yaml, live = {}, changes = {}, answer = cluster() }: Situation): PreflightScene {
  const objects = manifest(yaml).documents.map((document): Planned => {
    const { apiVersion, kind, name } = document.ref;
    const isNamespaced = !['Namespace', 'StorageClass', 'PersistentVolume'].includes(kind);
    const title = `${kind}/${name}`;
    const before = live[title] ?? null;
    const changed = changes[title] ?? [];
    return {
      document,
      ref: { ...document.ref, namespace: isNamespaced ? document.ref.namespace || 'shop' : '' },
      resource: { apiVersion, kind, plural: kind.toLowerCase(), namespaced: isNamespaced },
      live: before,
      action: before === null ? 'create' : changed.length > 0 ? 'change' : 'keep',
      changes: changed,
      deferred: '',
    };
  });
  const look = ((lookup: Lookup): Known<unknown> => {
    const value = answer(lookup);
    return value === null && lookup.kind !== 'config-map' && lookup.kind !== 'object'
      ? { state: 'forbidden', right: `read ${lookup.kind}`, at: 0 }
      : { state: 'known', value, at: 0 };
  }) as Look;
  return { objects, look };
}

export function warningsOf(situation: Situation): readonly Warning[] {
  return preflight(sceneOf(situation));
}

/** `ConfigMissing 12`: the codes with their lines. */
export function short(situation: Situation): readonly string[] {
  return warningsOf(situation).map(({ code, position }) => `${code} ${position?.line ?? 0}`);
}

/** A Deployment of one container, whose fields are given as YAML in flow style. */
export function deployment(container: string, spec = '', pod = '', name = 'web'): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
${spec === '' ? '' : `  ${spec}\n`}  template:
    metadata: {labels: {app: ${name}}}
    spec:
${pod === '' ? '' : `      ${pod}\n`}      containers:
      - name: app
        image: example.com/app:1
${container === '' ? '' : `        ${container}\n`}`;
}

/** The same object as the cluster would have it, with all its replicas ready. */
export function complete(yaml: string, replicas: number): KubernetesObject {
  const object = manifest(yaml).documents[0]?.object;
  if (object === undefined) throw new Error('no object');
  return {
    ...object,
    metadata: { ...object.metadata, generation: 1 },
    spec: { ...(object['spec'] as object), replicas },
    status: {
      observedGeneration: 1,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
    },
  };
}

export const NEW_TEMPLATE: Planned['changes'] = [
  { path: 'spec.template.spec.containers[app].image', from: 'example.com/app:0', to: 'example.com/app:1' },
];
