import type { Event, FieldPath, PersistentVolumeClaim, Pod } from '../kubernetes.ts';
import { timeOf } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import type { Evidence, RawFinding } from './finding.ts';
import { after, NEVER } from './ripeness.ts';
import { type Family, fieldAt, podSince, podSpecPath, type Scene } from './scene.ts';
import { isAboutVolumes } from './scheduler-message.ts';
import { spanOf } from './span.ts';

const UNBOUND_SECONDS = 60;

/** Pods that cannot be placed because a claim is missing or not bound. */
export const volumeUnbound: Family = (scene) =>
  scene.rollout.pods.flatMap((pod) => {
    const condition = pod.status?.conditions?.find((each) => each.type === 'PodScheduled');
    if (condition?.status !== 'False' || !isAboutVolumes(condition.message ?? '')) return [];
    const since = timeOf(condition.lastTransitionTime) ?? podSince(scene, pod);
    return [unbound(pod, condition.message ?? '', since, scene)];
  });

function unbound(pod: Pod, message: string, since: number, scene: Scene): RawFinding {
  const claims = claimsOf(pod).map((name) => inspect(name, pod, scene));
  const broken =
    claims.find((claim) => claim.state !== 'bound' && claim.state !== 'unread') ??
    claims.find((claim) => claim.state !== 'bound');
  const hopeless = broken !== undefined && ['absent', 'no-class', 'nothing-provisions'].includes(broken.state);
  const path = broken === undefined ? null : volumePath(broken.name, pod, scene);
  return {
    code: 'VolumeUnbound',
    certainty: hopeless ? 'probable' : 'waiting',
    scope: 'cluster',
    container: null,
    summary: broken === undefined ? `The pod waits for its volumes: ${message}` : broken.summary,
    evidence: [{ what: 'the scheduler says', value: message }, ...(broken?.evidence ?? [])],
    remedy: { text: broken?.remedy ?? 'See the events of the claim.', path, value: null },
    falsifier: 'The claim is bound.',
    ripeness: hopeless ? after(since, spanOf(scene, UNBOUND_SECONDS)) : NEVER,
    depth: DEPTH.volume,
    pods: [pod.metadata?.name ?? ''],
  };
}

interface ClaimState {
  readonly name: string;
  readonly state: 'unread' | 'bound' | 'absent' | 'no-class' | 'nothing-provisions' | 'provisioning';
  readonly summary: string;
  readonly remedy: string;
  readonly evidence: readonly Evidence[];
}

/** The claims that a pod mounts, by name. */
export function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return [volume.persistentVolumeClaim.claimName];
    return volume.ephemeral === undefined ? [] : [`${pod.metadata?.name ?? ''}-${volume.name}`];
  });
}

function inspect(name: string, pod: Pod, scene: Scene): ClaimState {
  const namespace = pod.metadata?.namespace ?? '';
  const found = scene.look({
    kind: 'object',
    ref: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name },
  });
  if (found.state !== 'known') {
    const why =
      found.state === 'forbidden' ? `; not allowed to look at it: the right to ${found.right} is missing` : '';
    return {
      name,
      state: 'unread',
      summary: `PersistentVolumeClaim "${name}" is not bound${why}`,
      remedy: `kubectl describe pvc ${name}`,
      evidence: [],
    };
  }
  const claim = found.value as unknown as PersistentVolumeClaim | null;
  if (claim === null) {
    const summary = `PersistentVolumeClaim "${name}" does not exist in namespace ${namespace}`;
    return {
      name,
      state: 'absent',
      summary,
      remedy: `Create the claim "${name}", or correct claimName.`,
      evidence: [],
    };
  }
  if (claim.status?.phase === 'Bound') return { name, state: 'bound', summary: '', remedy: '', evidence: [] };
  return pendingClaim(name, claim, scene);
}

function pendingClaim(name: string, claim: PersistentVolumeClaim, scene: Scene): ClaimState {
  const event = scene.view
    .events(claim.metadata?.uid ?? '')
    .filter((each) =>
      ['ProvisioningFailed', 'FailedBinding', 'ExternalProvisioning', 'Provisioning'].includes(each.reason ?? ''),
    )
    .at(-1);
  const said = event?.message ?? '';
  const evidence = event === undefined ? [] : [{ what: `event ${event.reason} on the claim`, value: said }];
  const className = claim.spec?.storageClassName ?? '';
  if (className !== '' && classIsAbsent(className, event, scene)) {
    const summary = `PersistentVolumeClaim "${name}" names StorageClass "${className}", which does not exist`;
    return {
      name,
      state: 'no-class',
      summary,
      remedy: `Name a StorageClass that the cluster has (kubectl get storageclass) in the claim "${name}".`,
      evidence,
    };
  }
  if (event?.reason === 'FailedBinding' && /no storage class is set/.test(said)) {
    const summary = `PersistentVolumeClaim "${name}" names no StorageClass, the cluster has no default one, and no PersistentVolume fits`;
    return {
      name,
      state: 'nothing-provisions',
      summary,
      remedy: `Name a StorageClass in the claim "${name}", or create a PersistentVolume that fits.`,
      evidence,
    };
  }
  const summary = `PersistentVolumeClaim "${name}" is not bound yet${said === '' ? '' : `: ${said}`}`;
  return {
    name,
    state: 'provisioning',
    summary,
    remedy: `See why the provisioner is slow: kubectl describe pvc ${name}`,
    evidence,
  };
}

function classIsAbsent(name: string, event: Event | undefined, scene: Scene): boolean {
  if (event?.message?.includes(`"${name}" not found`) === true) return true;
  const found = scene.look({
    kind: 'exists',
    ref: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', namespace: '', name },
  });
  return found.state === 'known' && !found.value;
}

function volumePath(claim: string, pod: Pod, scene: Scene): FieldPath | null {
  const templates = (fieldAt(scene.target.desired, ['spec', 'volumeClaimTemplates']) ?? []) as readonly {
    readonly metadata?: { readonly name?: string };
  }[];
  const template = templates.findIndex((each) => claim === `${each.metadata?.name}-${pod.metadata?.name}`);
  if (template >= 0) return ['spec', 'volumeClaimTemplates', template, 'spec', 'storageClassName'];
  const index = pod.spec?.volumes?.findIndex((volume) => volume.persistentVolumeClaim?.claimName === claim) ?? -1;
  return index < 0
    ? null
    : [...podSpecPath(scene.target.ref.kind), 'volumes', index, 'persistentVolumeClaim', 'claimName'];
}
