import type { FieldPath } from '../kubernetes.ts';
import type { Planned } from '../plan/planned.ts';
import { fieldAt } from '../stall/scene.ts';
import { mayBeCreated } from './creators.ts';
import { claimTemplatesOf } from './pod-references.ts';
import { type Check, isThere, type PreflightScene } from './scene.ts';
import { warning } from './warning.ts';

interface Claim {
  readonly planned: Planned;
  readonly className: string;
  readonly path: FieldPath;
  readonly title: string;
}

/**
 * Claims that name a StorageClass which is not there. One that is bound needs none, nor does one for which the manifest has a
 * PersistentVolume of that name of class. Source: pkg/controller/volume/persistentvolume, syncUnboundClaim.
 */
export const storageClass: Check = (scene) =>
  claimsOf(scene).flatMap(({ planned, className, path, title }) => {
    const ref = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', namespace: '', name: className };
    if (hasVolume(scene, className) || isThere(scene, ref) !== false || mayBeCreated(scene, ref)) return [];
    const message = `StorageClass "${className}", which ${title} names, is neither in the manifest nor in the cluster: nothing provides a volume, unless a PersistentVolume of that class is there already. Name a class that the cluster has (kubectl get storageclass).`;
    return [warning('VolumeUnbound', planned, path, message)];
  });

function claimsOf(scene: PreflightScene): readonly Claim[] {
  return scene.objects.flatMap((planned): readonly Claim[] => {
    const { object, ref } = planned.document;
    const claim = (spec: unknown, path: FieldPath, title: string): readonly Claim[] => {
      const className = fieldAt(spec, ['storageClassName']);
      return typeof className === 'string' && className !== ''
        ? [{ planned, className, path: [...path, 'storageClassName'], title }]
        : [];
    };
    if (ref.kind === 'PersistentVolumeClaim' && ref.apiVersion === 'v1')
      return isBound(planned) ? [] : claim(object['spec'], ['spec'], 'the claim');
    // The claims of a set that is there were made with it: the template cannot be changed afterwards.
    if (planned.live !== null) return [];
    return claimTemplatesOf(object).flatMap(({ name, spec, path }) =>
      claim(spec, path, `the claim template "${name}"`),
    );
  });
}

function isBound({ live }: Planned): boolean {
  return fieldAt(live, ['status', 'phase']) === 'Bound';
}

function hasVolume(scene: PreflightScene, className: string): boolean {
  return scene.objects.some(
    ({ document, ref }) =>
      ref.kind === 'PersistentVolume' && fieldAt(document.object, ['spec', 'storageClassName']) === className,
  );
}
