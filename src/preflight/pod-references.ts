import type { FieldPath, ObjectRef, PodSpec } from '../kubernetes.ts';
import { containersOf, type Workload } from './workload.ts';

/** Something that the pods need, by name. */
export interface Reference {
  readonly ref: ObjectRef;
  /** A key of the object; null: the object itself. */
  readonly key: string | null;
  readonly path: FieldPath;
  /** Who needs it: `container "app"`, `volume "config"`, `pod`. */
  readonly user: string;
}

/** All that the pods of a workload need to exist; what is marked optional is none of it. Source: core/v1 PodSpec. */
export function referencesOf(workload: Workload): readonly Reference[] {
  return [...fromPod(workload), ...fromEnvironment(workload), ...fromVolumes(workload)];
}

function fromPod({ pod, podPath, namespace }: Workload): readonly Reference[] {
  const at = (kind: string, apiVersion: string, name: string | undefined, ...path: FieldPath) =>
    name === undefined || name === ''
      ? []
      : [
          {
            ref: { apiVersion, kind, name, namespace: apiVersion === 'v1' ? namespace : '' },
            key: null,
            path: [...podPath, ...path],
            user: 'pod',
          },
        ];
  const account = pod.serviceAccountName === undefined ? 'serviceAccount' : 'serviceAccountName';
  return [
    ...at('ServiceAccount', 'v1', pod[account], account),
    ...at('PriorityClass', 'scheduling.k8s.io/v1', pod.priorityClassName, 'priorityClassName'),
    ...at('RuntimeClass', 'node.k8s.io/v1', pod.runtimeClassName, 'runtimeClassName'),
  ];
}

/** Secrets that the kubelet pulls images with. It goes on without those that are not there. */
export function pullSecretsOf({ pod, podPath, namespace }: Workload): readonly Reference[] {
  return (pod.imagePullSecrets ?? []).flatMap(({ name }, index) =>
    name === undefined || name === ''
      ? []
      : [
          {
            ref: { apiVersion: 'v1', kind: 'Secret', namespace, name },
            key: null,
            path: [...podPath, 'imagePullSecrets', index, 'name'],
            user: 'pod',
          },
        ],
  );
}

interface Named {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

function fromEnvironment(workload: Workload): readonly Reference[] {
  return containersOf(workload).flatMap(({ container, path, title }) => {
    const to = (kind: 'ConfigMap' | 'Secret', named: Named | null | undefined, at: FieldPath): readonly Reference[] =>
      reference(workload.namespace, kind, named, [...path, ...at], title);
    return [
      ...(container.env ?? []).flatMap(({ valueFrom }, index) => [
        ...to('ConfigMap', valueFrom?.configMapKeyRef, ['env', index, 'valueFrom', 'configMapKeyRef']),
        ...to('Secret', valueFrom?.secretKeyRef, ['env', index, 'valueFrom', 'secretKeyRef']),
      ]),
      ...(container.envFrom ?? []).flatMap(({ configMapRef, secretRef }, index) => [
        ...to('ConfigMap', configMapRef, ['envFrom', index, 'configMapRef']),
        ...to('Secret', secretRef, ['envFrom', index, 'secretRef']),
      ]),
    ];
  });
}

function reference(
  namespace: string,
  kind: 'ConfigMap' | 'Secret',
  named: Named | null | undefined,
  path: FieldPath,
  user: string,
): readonly Reference[] {
  if (named == null || named.optional === true || (named.name ?? '') === '') return [];
  const key = named.key ?? null;
  const ref = { apiVersion: 'v1', kind, namespace, name: named.name ?? '' };
  return [{ ref, key, path: [...path, key === null ? 'name' : 'key'], user }];
}

type Volume = NonNullable<PodSpec['volumes']>[number];

function fromVolumes({ pod, podPath, namespace, planned }: Workload): readonly Reference[] {
  const templates = claimTemplatesOf(planned.document.object).map(({ name }) => name);
  return (pod.volumes ?? []).flatMap((volume, index): readonly Reference[] =>
    // A StatefulSet puts the claim of its template in the place of a volume of the same name.
    templates.includes(volume.name) ? [] : fromVolume(volume, [...podPath, 'volumes', index], namespace),
  );
}

function fromVolume(volume: Volume, path: FieldPath, namespace: string): readonly Reference[] {
  const user = `volume "${volume.name}"`;
  const secret = (name: string | undefined, ...at: FieldPath) =>
    reference(namespace, 'Secret', { ...(name === undefined ? {} : { name }) }, [...path, ...at], user).map((each) => ({
      ...each,
      path: [...path, ...at],
    }));
  const claim = volume.persistentVolumeClaim?.claimName;
  return [
    ...withItems(namespace, 'ConfigMap', volume.configMap, 'name', [...path, 'configMap'], user),
    ...withItems(namespace, 'Secret', volume.secret, 'secretName', [...path, 'secret'], user),
    ...(volume.projected?.sources ?? []).flatMap(({ configMap, secret: projected }, index) => {
      const at = [...path, 'projected', 'sources', index];
      return [
        ...withItems(namespace, 'ConfigMap', configMap, 'name', [...at, 'configMap'], user),
        ...withItems(namespace, 'Secret', projected, 'name', [...at, 'secret'], user),
      ];
    }),
    ...secret(volume.csi?.nodePublishSecretRef?.name, 'csi', 'nodePublishSecretRef', 'name'),
    ...secret(volume.azureFile?.secretName, 'azureFile', 'secretName'),
    ...(claim === undefined
      ? []
      : [
          {
            ref: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claim },
            key: null,
            path: [...path, 'persistentVolumeClaim', 'claimName'],
            user,
          },
        ]),
  ];
}

interface Projection {
  readonly name?: string;
  readonly secretName?: string;
  readonly optional?: boolean;
  readonly items?: readonly { readonly key: string }[] | null;
}

function withItems(
  namespace: string,
  kind: 'ConfigMap' | 'Secret',
  source: Projection | null | undefined,
  nameField: 'name' | 'secretName',
  path: FieldPath,
  user: string,
): readonly Reference[] {
  const name = source?.[nameField] ?? '';
  if (source == null || source.optional === true || name === '') return [];
  const ref = { apiVersion: 'v1', kind, namespace, name };
  const keys = (source.items ?? []).map(({ key }, index) => ({
    ref,
    key,
    path: [...path, 'items', index, 'key'],
    user,
  }));
  return keys.length > 0 ? keys : [{ ref, key: null, path: [...path, nameField], user }];
}

/** A claim that is made for each pod, with the place of its spec in the object. */
export interface ClaimTemplate {
  readonly name: string;
  readonly spec: { readonly storageClassName?: string };
  readonly path: FieldPath;
}

/** Of a StatefulSet; empty for other kinds. */
export function claimTemplatesOf(object: Workload['planned']['document']['object']): readonly ClaimTemplate[] {
  if (object.kind !== 'StatefulSet') return [];
  const spec = object['spec'] as { readonly volumeClaimTemplates?: readonly Template[] | null } | undefined;
  return (spec?.volumeClaimTemplates ?? []).map((template, index) => ({
    name: template.metadata?.name ?? '',
    spec: template.spec ?? {},
    path: ['spec', 'volumeClaimTemplates', index, 'spec'],
  }));
}

interface Template {
  readonly metadata?: { readonly name?: string };
  readonly spec?: ClaimTemplate['spec'];
}
