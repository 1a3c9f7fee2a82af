import type { FieldPath, KubernetesObject, PodSpec } from '../kubernetes.ts';
import { fieldAt } from '../stall/scene.ts';
import type { Check } from './scene.ts';
import { inManifest, isNewNamespace, type PreflightScene } from './scene.ts';
import { strategyOf } from './strategy.ts';
import { type Warning, warning } from './warning.ts';
import { replicasOf, type Workload, workloadsOf } from './workload.ts';

/** Provisioners whose volumes lie on one node, so that the scheduler puts all their pods there. */
const LOCAL_PROVISIONERS: ReadonlySet<string> = new Set([
  'rancher.io/local-path',
  'kubernetes.io/no-provisioner',
  'k8s.io/minikube-hostpath',
  'docker.io/hostpath',
  'microk8s.io/hostpath',
  'openebs.io/local',
  'topolvm.io',
]);

const HOSTNAME = 'kubernetes.io/hostname';

/**
 * Pods that share a volume which one node (ReadWriteOnce) or one pod (ReadWriteOncePod) can hold at a time: with RollingUpdate the new pod
 * waits for the old one's volume, and the old one waits for the new pod to be ready. Pods on one node share a ReadWriteOnce volume without
 * trouble. Source: Kubernetes documentation, persistent volumes, access modes.
 */
export const sharedVolume: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => {
    const conflict = conflictOf(workload);
    if (conflict === null || !workload.isMoving) return [];
    return (workload.pod.volumes ?? []).flatMap((volume, index) => {
      const name = volume.persistentVolumeClaim?.claimName;
      if (name === undefined || volume.persistentVolumeClaim?.readOnly === true) return [];
      return check(scene, workload, name, conflict, [
        ...workload.podPath,
        'volumes',
        index,
        'persistentVolumeClaim',
        'claimName',
      ]);
    });
  });

type Conflict = 'replicas' | 'surge';

/** Why two pods want the volume at the same time; null if they never do. */
function conflictOf(workload: Workload): Conflict | null {
  if (!['Deployment', 'ReplicaSet', 'StatefulSet'].includes(workload.kind)) return null;
  if (replicasOf(workload) > 1) return workload.isComplete ? null : 'replicas';
  if (workload.kind !== 'Deployment' || replicasOf(workload) === 0) return null;
  const strategy = strategyOf(workload);
  return strategy.type === 'RollingUpdate' && strategy.surge > 0 ? 'surge' : null;
}

function check(
  scene: PreflightScene,
  workload: Workload,
  name: string,
  conflict: Conflict,
  path: FieldPath,
): readonly Warning[] {
  const claim = claimOf(scene, workload.namespace, name);
  const modes = (fieldAt(claim, ['spec', 'accessModes']) ?? []) as readonly string[];
  if (claim === null || modes.length === 0 || modes.some((mode) => !mode.startsWith('ReadWriteOnce'))) return [];
  const onePod = modes.every((mode) => mode === 'ReadWriteOncePod');
  if (!onePod && staysOnOneNode(scene, workload.pod, claim) !== false) return [];
  const holder = onePod ? 'one pod' : 'one node';
  const why =
    conflict === 'surge'
      ? `the strategy RollingUpdate starts a new pod while the old one still holds the volume: ${onePod ? 'it' : 'on another node it'} cannot start, and the old one waits for it. Set strategy.type Recreate`
      : `${replicasOf(workload)} replicas want it at the same time${onePod ? '' : ', and those on another node cannot start'}. Ask for one replica, or give each its own claim (volumeClaimTemplates of a StatefulSet)`;
  return [
    warning(
      'VolumeAttachBlocked',
      workload.planned,
      path,
      `PersistentVolumeClaim "${name}" is ${modes.join(' and ')}, which ${holder} can hold at a time, and ${why}, or use a ReadWriteMany volume.`,
    ),
  ];
}

function claimOf(scene: PreflightScene, namespace: string, name: string): KubernetesObject | null {
  const ref = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name };
  const planned = inManifest(scene, ref);
  if (planned !== null) return planned.live ?? planned.document.object;
  if (isNewNamespace(scene, namespace)) return null;
  const known = scene.look({ kind: 'object', ref });
  return known.state === 'known' ? known.value : null;
}

/** null: it cannot be known. */
function staysOnOneNode(scene: PreflightScene, pod: PodSpec, claim: KubernetesObject): boolean | null {
  const { podAffinity, nodeAffinity } = pod.affinity ?? {};
  if ((pod.nodeName ?? '') !== '' || pod.nodeSelector?.[HOSTNAME] !== undefined) return true;
  if (JSON.stringify([podAffinity, nodeAffinity]).includes(HOSTNAME)) return true;
  const nodes = scene.look({ kind: 'nodes' });
  if (nodes.state !== 'known') return null;
  return nodes.value.length < 2 ? true : isLocal(scene, claim);
}

function isLocal(scene: PreflightScene, claim: KubernetesObject): boolean | null {
  const volumeName = fieldAt(claim, ['spec', 'volumeName']);
  const className = fieldAt(claim, ['spec', 'storageClassName']);
  const whole = (apiVersion: string, kind: string, name: string) => {
    const ref = { apiVersion, kind, namespace: '', name };
    const planned = inManifest(scene, ref);
    if (planned !== null) return planned.document.object;
    const known = scene.look({ kind: 'object', ref });
    return known.state === 'known' ? known.value : null;
  };
  if (typeof volumeName === 'string' && volumeName !== '') {
    const volume = whole('v1', 'PersistentVolume', volumeName);
    if (volume === null) return null;
    const spec = JSON.stringify(fieldAt(volume, ['spec', 'nodeAffinity']) ?? {});
    return fieldAt(volume, ['spec', 'hostPath']) !== undefined || spec.includes(HOSTNAME);
  }
  if (typeof className !== 'string' || className === '') return false;
  const storage = whole('storage.k8s.io/v1', 'StorageClass', className);
  return storage === null ? null : LOCAL_PROVISIONERS.has(String(storage['provisioner']));
}
