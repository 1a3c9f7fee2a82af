import { groupOf, type HorizontalPodAutoscaler } from '../kubernetes.ts';
import { fieldAt } from '../stall/scene.ts';
import { type Check, isNewNamespace, type PreflightScene } from './scene.ts';
import { warning } from './warning.ts';
import { type Workload, workloadsOf } from './workload.ts';

/** What sets the replicas of a workload by load. */
interface Scaler {
  readonly title: string;
  readonly min: number;
  readonly max: number;
}

/**
 * Workloads whose replicas the manifest sets while an autoscaler of the manifest or of the cluster sets them too: each apply undoes what
 * the autoscaler did. Source: Kubernetes documentation, HorizontalPodAutoscaler, "Migrating Deployments and StatefulSets".
 */
export const autoscaled: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) => {
    const replicas = fieldAt(workload.planned.document.object, ['spec', 'replicas']);
    if (typeof replicas !== 'number' || !['Deployment', 'StatefulSet', 'ReplicaSet'].includes(workload.kind)) return [];
    const scaler = scalersOf(scene, workload)[0];
    if (scaler === undefined || (scaler.min === replicas && scaler.max === replicas)) return [];
    return [
      warning(
        'ReplicasContested',
        workload.planned,
        ['spec', 'replicas'],
        `${scaler.title} sets the replicas (${scaler.min} to ${scaler.max}), and the manifest sets ${replicas}: each apply undoes what the other did. Take spec.replicas out of the manifest.`,
      ),
    ];
  });

function scalersOf(scene: PreflightScene, workload: Workload): readonly Scaler[] {
  const { namespace } = workload;
  const known = isNewNamespace(scene, namespace) ? null : scene.look({ kind: 'pod-autoscalers', namespace });
  const planned = scene.objects.filter(({ ref }) => ref.namespace === namespace).map(({ document }) => document.object);
  const ours = planned.filter(
    ({ kind, apiVersion }) => kind === 'HorizontalPodAutoscaler' && groupOf(apiVersion) === 'autoscaling',
  );
  const names = ours.map(({ metadata }) => metadata.name);
  const live = known?.state === 'known' ? known.value.filter(({ metadata }) => !names.includes(metadata?.name)) : [];
  const horizontal = [...(ours as unknown as readonly HorizontalPodAutoscaler[]), ...live]
    .filter(({ spec }) => isTarget(workload, spec?.scaleTargetRef ?? {}))
    .map(({ metadata, spec }) => ({
      title: `HorizontalPodAutoscaler "${metadata?.name ?? ''}"`,
      min: spec?.minReplicas ?? 1,
      max: spec?.maxReplicas ?? 1,
    }));
  const keda = planned
    .filter(({ kind, apiVersion }) => kind === 'ScaledObject' && groupOf(apiVersion) === 'keda.sh')
    .filter((object) => isTarget(workload, (fieldAt(object, ['spec', 'scaleTargetRef']) ?? {}) as TargetRef))
    .map((object) => ({
      title: `ScaledObject "${object.metadata.name ?? ''}"`,
      min: (fieldAt(object, ['spec', 'minReplicaCount']) ?? 0) as number,
      max: (fieldAt(object, ['spec', 'maxReplicaCount']) ?? 100) as number,
    }));
  return [...horizontal, ...keda];
}

interface TargetRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
}

/** KEDA's defaults: kind Deployment, apiVersion apps/v1. */
function isTarget({ planned }: Workload, { apiVersion = 'apps/v1', kind = 'Deployment', name }: TargetRef): boolean {
  const { ref } = planned;
  return ref.kind === kind && ref.name === name && groupOf(ref.apiVersion) === groupOf(apiVersion);
}
