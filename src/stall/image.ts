import { eventTimes } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import type { RawFinding, Ripeness } from './finding.ts';
import { classifyPullError, type PullFailure, pullReason, registryOf } from './pull-error.ts';
import { after, atSight, NEVER, type Observed, observedEvents, observedWaiting } from './ripeness.ts';
import { type ContainerScene, containerTitle, type Family, fieldOf, type Scene } from './scene.ts';

/** The kubelet's waiting reasons around images. Source: pkg/kubelet/images/types.go. */
const PULL_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'RegistryUnavailable',
  'ImageInspectError',
  'SignatureValidationFailed',
]);

/** A pull that takes longer is worth a word. */
const SLOW_SECONDS = 15;

/** Images that cannot be had: a name that cannot be, a tag that is not there, a registry that refuses, does not answer, or is slow. */
export const image: Family = (scene) => scene.containers.flatMap((container) => judge(container, scene) ?? []);

function judge(container: ContainerScene, scene: Scene): RawFinding | null {
  const reason = container.status?.state?.waiting?.reason;
  if (reason === undefined) return null;
  if (reason === 'InvalidImageName') return invalidName(container, scene);
  if (reason === 'ErrImageNeverPull') return neverPull(container, scene);
  if (PULL_REASONS.has(reason)) return pullFailed(container, scene);
  return slowPull(container, scene);
}

function invalidName(container: ContainerScene, scene: Scene): RawFinding {
  const message = container.status?.state?.waiting?.message ?? '';
  return {
    ...base(container, 'ImageNameInvalid', atSight(scene.now)),
    certainty: 'certain',
    summary: `The image name "${container.spec.image}" of ${containerTitle(container)} is not valid: ${lastPart(message)}`,
    evidence: [{ what: 'waiting InvalidImageName', value: message }],
    remedy: {
      text: `Correct the image reference "${container.spec.image}".`,
      path: fieldOf(container, 'image'),
      value: null,
    },
    falsifier: 'Nothing: a name that cannot be parsed stays so until the manifest changes.',
  };
}

function neverPull(container: ContainerScene, scene: Scene): RawFinding {
  const events = observedEvents(container.events, (event) => event.reason === 'ErrImageNeverPull');
  const seen = observedWaiting(container, 'ErrImageNeverPull', events, scene.now);
  return {
    ...base(container, 'ImageNeverPull', after(seen.since, 10, seen.count, 2)),
    certainty: 'certain',
    summary: `The image "${container.spec.image}" of ${containerTitle(container)} is not on the node, and imagePullPolicy is Never.`,
    evidence: [
      {
        what: `waiting ErrImageNeverPull, seen ${seen.count} times`,
        value: container.status?.state?.waiting?.message ?? '',
      },
    ],
    remedy: {
      text: 'Set imagePullPolicy to IfNotPresent, or load the image onto every node.',
      path: fieldOf(container, 'imagePullPolicy'),
      value: 'IfNotPresent',
    },
    falsifier: 'The image is loaded onto the node.',
  };
}

function pullFailed(container: ContainerScene, scene: Scene): RawFinding {
  const image = container.spec.image ?? '';
  const message = pullMessage(container);
  const failure = classifyPullError(message, image);
  const pulls = failedPulls(container, scene.now);
  const text = TEXT[failure](container, image);
  return {
    ...base(container, text.code, ripenessOf(failure, container, pulls, scene)),
    certainty: text.certainty,
    summary: `${text.summary}: ${pullReason(message) || 'the kubelet gave no reason'}`,
    evidence: [
      {
        what: `${pulls.count} failed ${pulls.count === 1 ? 'pull' : 'pulls'} in ${seconds(scene.now - pulls.since)}`,
        value: message,
      },
      ...missingPullSecrets(container, scene).map((name) => ({
        what: `imagePullSecrets names "${name}"`,
        value: 'no such Secret',
      })),
    ],
    remedy: { text: text.remedy, path: fieldOf(container, 'image'), value: null },
    falsifier: text.falsifier,
  };
}

function ripenessOf(failure: PullFailure, container: ContainerScene, pulls: Observed, scene: Scene): Ripeness {
  if (failure === 'platform') return after(pulls.since, 0, pulls.count, 2);
  if (failure === 'not-found') return after(pulls.since, 30, pulls.count, 3);
  if (failure === 'unknown-host') return after(pulls.since, 60, pulls.count, 3);
  if (failure !== 'unauthorized') return NEVER;
  if (missingPullSecrets(container, scene).length > 0) return after(pulls.since, 10, pulls.count, 2);
  return after(pulls.since, 30, pulls.count, 3);
}

interface PullText {
  readonly code: RawFinding['code'];
  readonly certainty: RawFinding['certainty'];
  readonly summary: string;
  readonly remedy: string;
  readonly falsifier: string;
}

const TEXT: Readonly<Record<PullFailure, (container: ContainerScene, image: string) => PullText>> = {
  platform: (container, image) => ({
    code: 'ImagePlatformMismatch',
    certainty: 'certain',
    summary: `The image "${image}" of ${containerTitle(container)} was not built for the node's platform`,
    remedy: `Build and push "${image}" for the platform of the nodes (docker buildx build --platform …), or select nodes of its platform.`,
    falsifier: 'The tag is pushed again with an image for this platform.',
  }),
  'not-found': (container, image) => ({
    code: 'ImageNotFound',
    certainty: 'probable',
    summary: `The image "${image}" of ${containerTitle(container)} does not exist in ${registryOf(image)}`,
    remedy: `Check that "${image}" was pushed, and that repository and tag are spelled right.`,
    falsifier: 'The tag is pushed, and the next pull succeeds.',
  }),
  unauthorized: (container, image) => ({
    code: 'ImageUnauthorized',
    certainty: 'probable',
    summary: `${registryOf(image)} refuses to give the image "${image}" of ${containerTitle(container)} to this pod`,
    remedy: `Give the pod a pull secret for ${registryOf(image)} (imagePullSecrets), or check its credentials; a repository that does not exist is often reported like this.`,
    falsifier: 'The pull secret is created or corrected, and the next pull succeeds.',
  }),
  'unknown-host': (container, image) => ({
    code: 'RegistryUnavailable',
    certainty: 'probable',
    summary: `The registry ${registryOf(image)} of the image "${image}" of ${containerTitle(container)} cannot be found`,
    remedy: `Check the registry's name in "${image}", and the nodes' DNS.`,
    falsifier: 'The name resolves, and the next pull succeeds.',
  }),
  unavailable: (container, image) => ({
    code: 'RegistryUnavailable',
    certainty: 'waiting',
    summary: `The registry ${registryOf(image)} does not serve the image "${image}" of ${containerTitle(container)}`,
    remedy: `See whether ${registryOf(image)} is up, reachable from the nodes, and not limiting the rate of pulls; the kubelet goes on trying.`,
    falsifier: 'The registry recovers, and the next pull succeeds.',
  }),
  unknown: (container, image) => ({
    code: 'RegistryUnavailable',
    certainty: 'waiting',
    summary: `The image "${image}" of ${containerTitle(container)} cannot be pulled`,
    remedy: `Pull "${image}" by hand from a node to see why it fails.`,
    falsifier: 'The next pull succeeds.',
  }),
};

/** ImagePullBackOff hides what ErrImagePull said, on older kubelets wholly: what was remembered, or the event, has it. */
function pullMessage(container: ContainerScene): string {
  const waiting = container.memory?.waiting ?? [];
  const now = container.status?.state?.waiting?.message ?? '';
  const remembered = waiting.find((entry) => entry.reason === 'ErrImagePull')?.message ?? '';
  const event = container.events
    .filter((each) => each.reason === 'Failed' && each.message?.startsWith('Failed to pull') === true)
    .at(-1);
  if (!/^Back-off pulling image "[^"]*"$/.test(now) && now !== '') return now;
  return remembered || event?.message || now;
}

function failedPulls(container: ContainerScene, now: number): Observed {
  const events = observedEvents(
    container.events,
    (event) => event.reason === 'Failed' && event.message?.startsWith('Failed to pull') === true,
  );
  const remembered = container.memory?.waiting.find((entry) => entry.reason === 'ErrImagePull');
  return {
    since: Math.min(events?.since ?? now, remembered?.firstAt ?? now),
    count: Math.max(1, events?.count ?? 0, remembered?.times ?? 0),
  };
}

/** Only their existence is read, never what is in them. */
function missingPullSecrets(container: ContainerScene, scene: Scene): readonly string[] {
  const names = (container.pod.spec?.imagePullSecrets ?? [])
    .map((secret) => secret.name ?? '')
    .filter((name) => name !== '');
  const namespace = container.pod.metadata?.namespace ?? '';
  return names.filter((name) => {
    const found = scene.look({ kind: 'exists', ref: { apiVersion: 'v1', kind: 'Secret', namespace, name } });
    return found.state === 'known' && !found.value;
  });
}

function slowPull(container: ContainerScene, scene: Scene): RawFinding | null {
  const last = container.events.filter((event) => ['Pulling', 'Pulled', 'Failed'].includes(event.reason ?? '')).at(-1);
  if (last?.reason !== 'Pulling') return null;
  const since = eventTimes(last).last;
  if (scene.now - since < SLOW_SECONDS * 1000) return null;
  return {
    ...base(container, 'ImagePullSlow', NEVER),
    certainty: 'waiting',
    summary: `The image "${container.spec.image}" of ${containerTitle(container)} is being pulled since ${seconds(scene.now - since)}`,
    evidence: [{ what: 'event Pulling without Pulled', value: last.message ?? '' }],
    remedy: {
      text: 'Make the image smaller, or give the rollout a longer progressDeadlineSeconds.',
      path: fieldOf(container, 'image'),
      value: null,
    },
    falsifier: 'The pull ends.',
  };
}

function base(container: ContainerScene, code: RawFinding['code'], ripeness: Ripeness) {
  const scope: RawFinding['scope'] = 'cluster';
  return { code, scope, container: container.name, ripeness, depth: DEPTH.image, pods: [container.podName] };
}

function lastPart(message: string): string {
  return message.split(': ').slice(-2).join(': ') || 'the kubelet gave no reason';
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
