import type { Event, Pod } from '../kubernetes.ts';
import { eventTimes } from '../rollout/time.ts';
import { isMountNoise, parseMissing } from './config-missing.ts';
import { DEPTH } from './depth.ts';
import type { RawFinding } from './finding.ts';
import { after, NEVER } from './ripeness.ts';
import { type Family, type Scene, volumeNamedIn } from './scene.ts';
import { claimsOf } from './volume.ts';

const BLOCKED_SECONDS = 60;

/** Pods that have a node but not their volumes: attached elsewhere, or not mounted in time. */
export const volumeAttach: Family = (scene) =>
  scene.rollout.pods.flatMap((pod) => {
    if (pod.status?.containerStatuses?.some((status) => status.state?.running !== undefined) === true) return [];
    const events = scene.view.events(pod.metadata?.uid ?? '');
    const attach = events.filter((event) => event.reason === 'FailedAttachVolume').at(-1);
    const mount = events
      .filter((event) => /^FailedM(ount|apVolume)$/.test(event.reason ?? '') && isMountFailure(event))
      .at(-1);
    const event = attach ?? mount;
    if (event === undefined) return [];
    return [blocked(pod, event, scene)];
  });

/** What is missing by name is for `config-missing.ts`, and the kubelet's own caches and tokens are nobody's volumes. */
function isMountFailure(event: Event): boolean {
  const message = event.message ?? '';
  return parseMissing(message) === null && !isMountNoise(message);
}

function blocked(pod: Pod, event: Event, scene: Scene): RawFinding {
  const held = scene.rollout.otherPods.filter((other) =>
    claimsOf(other).some((claim) => claimsOf(pod).includes(claim)),
  );
  const multi = /Multi-Attach/.test(event.message ?? '');
  const rolling = scene.target.ref.kind === 'Deployment' && strategyOf(scene) !== 'Recreate';
  const deadlock = multi && rolling && held.some((other) => other.metadata?.deletionTimestamp === undefined);
  // No controller brings a path to a node's disk: the kubelet only looks again.
  const isNoPath = (event.message ?? '').includes('hostPath type check failed');
  return {
    code: 'VolumeAttachBlocked',
    certainty: deadlock || isNoPath ? 'probable' : 'waiting',
    scope: 'cluster',
    container: null,
    summary: deadlock
      ? `The volume can be attached to one node only, and the old pod ${held[0]?.metadata?.name ?? ''} holds it until the new one is ready: ${event.message ?? ''}`
      : `The pod waits for a volume: ${event.message ?? ''}`,
    evidence: [{ what: `event ${event.reason}`, value: event.message ?? '' }],
    remedy: deadlock ? OTHER_STRATEGY : remedyOf(event, scene),
    falsifier: 'The volume is released and attached.',
    ripeness: deadlock || isNoPath ? after(eventTimes(event).first, BLOCKED_SECONDS) : NEVER,
    depth: DEPTH.mount,
    pods: [pod.metadata?.name ?? ''],
  };
}

function strategyOf(scene: Scene): string {
  return (
    (scene.target.desired['spec'] as { strategy?: { type?: string } } | undefined)?.strategy?.type ?? 'RollingUpdate'
  );
}

const OTHER_STRATEGY: RawFinding['remedy'] = {
  text: 'Set strategy.type to Recreate, or use a volume with access mode ReadWriteMany.',
  path: ['spec', 'strategy', 'type'],
  value: 'Recreate',
};

function remedyOf(event: Event, scene: Scene): RawFinding['remedy'] {
  const message = event.message ?? '';
  if (event.reason === 'FailedAttachVolume' || /attach/i.test(message))
    return { text: 'See which pod or node holds the volume: kubectl get volumeattachments', path: null, value: null };
  const path = volumeNamedIn(message, scene);
  if (message.includes('hostPath type check failed'))
    return { text: 'Make the path on the node, or correct hostPath of the volume.', path, value: null };
  return { text: 'Correct what the message of the kubelet names, on the node or in the volume.', path, value: null };
}
