import { refKey } from '../kubernetes.ts';
import { mayBeCreated } from './creators.ts';
import { hasKey } from './keys.ts';
import { claimTemplatesOf, pullSecretsOf, type Reference, referencesOf } from './pod-references.ts';
import { type Check, isThere, ofKind, type PreflightScene } from './scene.ts';
import { type Warning, type WarningCode, warning } from './warning.ts';
import { type Workload, workloadsOf } from './workload.ts';

/** What Kubernetes itself puts into every namespace. Source: the controllers root-ca-cert-publisher and serviceaccount. */
const ALWAYS_THERE: ReadonlySet<string> = new Set([
  'ServiceAccount/default',
  'ConfigMap/kube-root-ca.crt',
  'ConfigMap/openshift-service-ca.crt',
]);

const CODES: Readonly<Record<string, WarningCode>> = {
  ConfigMap: 'ConfigMissing',
  Secret: 'ConfigMissing',
  ServiceAccount: 'ServiceAccountMissing',
  PersistentVolumeClaim: 'VolumeUnbound',
  PriorityClass: 'AdmissionDenied',
  RuntimeClass: 'AdmissionDenied',
};

/**
 * What the pods refer to and neither the manifest nor the cluster has. Of a Secret of the cluster nothing is read but that it is there.
 * Source: pkg/kubelet, kubelet_pods.go (environment), pkg/volume (volumes), plugin/pkg/admission/{serviceaccount,priority,runtimeclass}.
 */
export const references: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => [
    ...once(referencesOf(workload)).flatMap((each) => check(scene, workload, each)),
    ...once(pullSecretsOf(workload)).flatMap((each) => checkPullSecret(scene, workload, each)),
  ]);

/** The same name in several places of a workload is one thing to do. */
function once(all: readonly Reference[]): readonly Reference[] {
  return [
    ...new Map(all.toReversed().map((each) => [`${refKey(each.ref)} ${each.key ?? ''}`, each])).values(),
  ].toReversed();
}

function isMissing(scene: PreflightScene, { ref }: Reference): boolean {
  if (ALWAYS_THERE.has(`${ref.kind}/${ref.name}`) || isClaimOfSet(scene, ref)) return false;
  return isThere(scene, ref) === false && !mayBeCreated(scene, ref);
}

/** A StatefulSet of the manifest makes claims named `data-db-0`. Source: pkg/controller/statefulset, getPersistentVolumeClaimName. */
function isClaimOfSet(scene: PreflightScene, ref: Reference['ref']): boolean {
  if (ref.kind !== 'PersistentVolumeClaim') return false;
  return ofKind(scene, 'apps/v1', 'StatefulSet', ref.namespace).some((set) =>
    claimTemplatesOf(set.document.object).some(({ name }) => {
      const prefix = `${name}-${set.ref.name}-`;
      return ref.name.startsWith(prefix) && /^\d+$/.test(ref.name.slice(prefix.length));
    }),
  );
}

function check(scene: PreflightScene, workload: Workload, reference: Reference): readonly Warning[] {
  const { ref, key, path, user } = reference;
  const title = `${ref.kind} "${ref.name}"`;
  const code = CODES[ref.kind] ?? 'ConfigMissing';
  if (isMissing(scene, reference)) {
    const where = ref.namespace === '' ? 'the cluster' : `namespace ${ref.namespace}`;
    const message = `${title}, which the ${user} needs, is neither in the manifest nor in ${where}${effectOf(ref.kind, user)}. Create it, or correct the name${near(scene, ref)}.`;
    return [warning(code, workload.planned, path, message)];
  }
  if (key === null || hasKey(scene, ref, key) !== false) return [];
  const message = `${title} has no key "${key}", which the ${user} needs${effectOf(ref.kind, user)}. Add the key, or correct the reference.`;
  return [warning(code, workload.planned, path, message)];
}

const EFFECTS: Readonly<Record<string, string>> = {
  ServiceAccount: ': no pod will be created',
  PersistentVolumeClaim: ': the pod cannot be placed',
  PriorityClass: ': no pod will be created',
  RuntimeClass: ': no pod will be created',
};

/** What comes of it. A volume holds up the whole pod. */
function effectOf(kind: string, user: string): string {
  if (kind !== 'ConfigMap' && kind !== 'Secret') return EFFECTS[kind] ?? '';
  return user.startsWith('volume') ? ': the pod cannot start' : ': the container cannot start';
}

/** What the manifest has instead, where that is little enough to read. */
function near(scene: PreflightScene, { apiVersion, kind, namespace }: Reference['ref']): string {
  const names = ofKind(scene, apiVersion, kind, namespace).map(({ ref }) => ref.name);
  return names.length === 0 || names.length > 3 ? '' : ` (the manifest has ${names.join(', ')})`;
}

function checkPullSecret(scene: PreflightScene, workload: Workload, reference: Reference): readonly Warning[] {
  if (!isMissing(scene, reference)) return [];
  const { ref, path } = reference;
  const message = `Secret "${ref.name}", which the images are to be pulled with, is neither in the manifest nor in namespace ${ref.namespace}: the kubelet goes on without it, and cannot pull a private image. Create it, or take it out of imagePullSecrets.`;
  return [warning('ImageUnauthorized', workload.planned, path, message)];
}
