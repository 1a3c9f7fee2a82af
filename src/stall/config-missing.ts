import type { FieldPath, KubernetesObject, PodSpec } from '../kubernetes.ts';
import { eventTimes } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import type { RawFinding } from './finding.ts';
import { after, NEVER, observedEvents, observedWaiting } from './ripeness.ts';
import {
  type ContainerScene,
  containerTitle,
  type Family,
  fieldAt,
  podSpecPath,
  type Scene,
  volumeNamedIn,
} from './scene.ts';
import { jobAtWork, spanOf } from './span.ts';

/** A ConfigMap, a Secret, or a key of one, that a pod needs and that is not there. */
interface Missing {
  readonly kind: 'ConfigMap' | 'Secret';
  /** Empty where the kubelet does not say which object lacks the key. */
  readonly name: string;
  readonly key: string | null;
}

const ABSENT_SECONDS = 30;

/** Configuration that a pod refers to and that does not exist, whether as environment or as a volume. */
export const configMissing: Family = (scene) => [...fromContainers(scene), ...fromVolumes(scene)];

function fromContainers(scene: Scene): readonly RawFinding[] {
  return scene.containers.flatMap((container) => {
    const waiting = container.status?.state?.waiting;
    const missing = waiting?.reason === 'CreateContainerConfigError' ? parseMissing(waiting.message ?? '') : null;
    if (missing === null) return [];
    const events = observedEvents(
      container.events,
      (event) => event.message?.includes(waiting?.message ?? '') === true,
    );
    const { since } = observedWaiting(container, 'CreateContainerConfigError', events, scene.now);
    const path = referencePath(scene, container.path, missing);
    return [finding(scene, missing, since, waiting?.message ?? '', container.podName, path, container)];
  });
}

function fromVolumes(scene: Scene): readonly RawFinding[] {
  return scene.rollout.pods.flatMap((pod) => {
    // A pod with a container that was started has all its volumes: what an older event says is over.
    if (hasStarted(pod.status?.containerStatuses) || hasStarted(pod.status?.initContainerStatuses)) return [];
    const failed = scene.view.events(pod.metadata?.uid ?? '').filter((event) => event.reason === 'FailedMount');
    return failed.flatMap((event) => {
      const missing = isMountNoise(event.message ?? '') ? null : parseMissing(event.message ?? '');
      if (missing === null) return [];
      const path = referencePath(scene, volumeNamedIn(event.message ?? '', scene), missing);
      return [
        finding(scene, missing, eventTimes(event).first, event.message ?? '', pod.metadata?.name ?? '', path, null),
      ];
    });
  });
}

function hasStarted(
  statuses: readonly { readonly state?: { readonly running?: object; readonly terminated?: object } }[] | undefined,
): boolean {
  return (
    statuses?.some((status) => status.state?.running !== undefined || status.state?.terminated !== undefined) === true
  );
}

/** The kubelet's caches are slow when many pods start at once, and its own token volume is no configuration of the user's. */
export function isMountNoise(message: string): boolean {
  return /failed to sync (configmap|secret) cache|kube-api-access-/.test(message);
}

/** Reads the kubelet's wording. Source: pkg/kubelet/kubelet_pods.go, pkg/volume/configmap, pkg/volume/secret. */
export function parseMissing(message: string): Missing | null {
  const key = /couldn't find key (\S+) in (ConfigMap|Secret) [^/\s]+\/([\w.-]+)/.exec(message);
  if (key !== null) return { kind: kindOf(key[2]), name: key[3] ?? '', key: key[1] ?? '' };
  const volumeKey = /references non-existent (config|secret) key: (\S+)/.exec(message);
  if (volumeKey !== null)
    return { kind: volumeKey[1] === 'secret' ? 'Secret' : 'ConfigMap', name: '', key: volumeKey[2] ?? '' };
  const object = /(configmap|secret)s? "([\w.-]+)" not found/i.exec(message);
  return object === null ? null : { kind: kindOf(object[1]), name: object[2] ?? '', key: null };
}

function kindOf(word: string | undefined): Missing['kind'] {
  return word?.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap';
}

function finding(
  scene: Scene,
  missing: Missing,
  since: number,
  message: string,
  pod: string,
  path: FieldPath | null,
  container: ContainerScene | null,
): RawFinding {
  const name = missing.name === '' ? nameBeside(path, missing, scene) : missing.name;
  const what = `${missing.kind} ${name === '' ? '' : `"${name}" `}`.trim();
  const creator = creatorIn(scene.applied, missing.name) ?? jobAtWork(scene);
  const summary =
    missing.key === null
      ? `${what}, which ${container === null ? 'a volume' : containerTitle(container)} needs, does not exist in namespace ${scene.target.ref.namespace}`
      : `${what} has no key "${missing.key}", which ${container === null ? 'a volume' : containerTitle(container)} needs`;
  return {
    code: 'ConfigMissing',
    certainty: creator === null ? 'probable' : 'waiting',
    scope: 'application',
    container: container?.name ?? null,
    summary: creator === null ? summary : `${summary}; ${creator} of the same run may still create it`,
    evidence: [
      { what: container === null ? 'event FailedMount' : 'waiting CreateContainerConfigError', value: message },
    ],
    remedy: {
      text:
        missing.key === null
          ? `Create the ${what} in namespace ${scene.target.ref.namespace}, or correct the reference.`
          : `Add the key "${missing.key}" to the ${what}, or correct the reference.`,
      path,
      value: null,
    },
    falsifier: `The ${missing.key === null ? missing.kind : 'key'} is created: the kubelet then goes on by itself.`,
    ripeness: creator === null ? after(since, spanOf(scene, ABSENT_SECONDS)) : NEVER,
    depth: DEPTH.configuration,
    pods: [pod],
  };
}

/** The object that the reference names, of which the kubelet tells only the key. */
function nameBeside(path: FieldPath | null, { kind }: Missing, scene: Scene): string {
  const at = path?.lastIndexOf('items') ?? -1;
  const reference = at < 0 ? undefined : fieldAt(scene.target.desired, (path ?? []).slice(0, at));
  const { name, secretName } = (reference ?? {}) as { readonly name?: string; readonly secretName?: string };
  return (kind === 'Secret' ? (secretName ?? name) : name) ?? '';
}

/** A custom resource of the same apply that names the object may be about to create it: ExternalSecret, Certificate, SealedSecret … */
function creatorIn(applied: readonly KubernetesObject[], name: string): string | null {
  if (name === '') return null;
  const creators = applied.filter(
    (object) => object.apiVersion.split('/')[0]?.includes('.') === true && !object.apiVersion.includes('.k8s.io/'),
  );
  const found = creators.find((object) => JSON.stringify(object).includes(`"${name}"`));
  return found === undefined ? null : `${found.kind} "${found.metadata.name}"`;
}

/** The field in the manifest that refers to what is missing. */
function referencePath(scene: Scene, within: FieldPath | null, missing: Missing): FieldPath | null {
  const base = within ?? podSpecPath(scene.target.ref.kind);
  const node = fieldAt(scene.target.desired, base) as PodSpec | undefined;
  const found = node === undefined ? null : findReference(node, missing);
  return found === null ? null : [...base, ...found];
}

/** Depth-first, for an object that holds the missing name (and key) under a field that refers to such an object. */
function findReference(node: unknown, missing: Missing): FieldPath | null {
  if (typeof node !== 'object' || node === null) return null;
  for (const [field, value] of Object.entries(node)) {
    const step = Array.isArray(node) ? Number(field) : field;
    const here = REFERENCES[missing.kind].has(field) ? within(value, missing) : null;
    const deeper = here ?? findReference(value, missing);
    if (deeper !== null) return [step, ...deeper];
  }
  return null;
}

const REFERENCES = {
  ConfigMap: new Set(['configMapKeyRef', 'configMapRef', 'configMap']),
  Secret: new Set(['secretKeyRef', 'secretRef', 'secret']),
} as const;

function within(value: unknown, missing: Missing): FieldPath | null {
  const reference = value as { name?: string; secretName?: string; key?: string; items?: readonly { key?: string }[] };
  const nameField = reference.secretName === undefined ? 'name' : 'secretName';
  if (missing.name !== '' && reference[nameField] !== missing.name) return null;
  if (missing.key === null) return [nameField];
  if (reference.key === missing.key) return ['key'];
  const item = reference.items?.findIndex((each) => each.key === missing.key) ?? -1;
  return item >= 0 ? ['items', item, 'key'] : null;
}
