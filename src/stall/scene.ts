import type { Container, ContainerStatus, Event, FieldPath, KubernetesObject, Pod, PodSpec } from '../kubernetes.ts';
import type { Look, Rollout } from '../rollout/rollout.ts';
import type { Target } from '../rollout/target.ts';
import { timeOf } from '../rollout/time.ts';
import type { Track } from '../rollout/track.ts';
import type { ContainerMemory, View } from '../rollout/view.ts';
import type { RawFinding } from './finding.ts';

/** One container of one pod of our revision, with all that is known of it. */
export interface ContainerScene {
  readonly pod: Pod;
  readonly podName: string;
  readonly name: string;
  /** `sidecar`: an init container with restartPolicy Always (KEP-753), which must run on beside the app. */
  readonly role: 'init' | 'sidecar' | 'app';
  readonly spec: Container;
  readonly status: ContainerStatus | null;
  readonly memory: ContainerMemory | null;
  /** Where the container stands in the workload's own manifest; null if something injected it. */
  readonly path: FieldPath | null;
  /** Events that name this container. */
  readonly events: readonly Event[];
}

/** All that the families of one workload look at. */
export interface Scene {
  readonly target: Target;
  readonly rollout: Rollout;
  readonly view: View;
  readonly look: Look;
  /** Milliseconds since the epoch by the server's clock. */
  readonly now: number;
  /** Another workload of this run is still coming up, so that what looks broken may only be waiting for it. */
  readonly othersComingUp: readonly string[];
  /** The objects of the same apply: one of them may create what is missing. */
  readonly applied: readonly KubernetesObject[];
  readonly track: Track;
  readonly containers: readonly ContainerScene[];
}

/** A family of stalls: one file, one question. Pure: what it returns follows from the scene alone. */
export type Family = (scene: Scene) => readonly RawFinding[];

/** Where the pod spec stands in an object of a kind that has one. Source: the API types of batch/v1, apps/v1 and core/v1. */
export function podSpecPath(kind: string): FieldPath {
  if (kind === 'Pod') return ['spec'];
  if (kind === 'CronJob') return ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
  return ['spec', 'template', 'spec'];
}

/** Where the pod template has the volume that a message of the kubelet names; null if it names none of its own, as for a claim. */
export function volumeNamedIn(message: string, { target }: Pick<Scene, 'target'>): FieldPath | null {
  const name = /for volume "([^"]+)"/.exec(message)?.[1];
  const path = podSpecPath(target.ref.kind);
  const spec = fieldAt(target.desired, path) as PodSpec | undefined;
  const index = spec?.volumes?.findIndex((volume) => volume.name === name) ?? -1;
  return index < 0 ? null : [...path, 'volumes', index];
}

export function fieldAt(object: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key],
    object,
  );
}

/** The containers of all pods of our revision, init containers first, as they run. */
export function containersOf(rollout: Rollout, target: Target, view: View): readonly ContainerScene[] {
  return rollout.pods.flatMap((pod) => containersOfPod(pod, target, view));
}

function containersOfPod(pod: Pod, target: Target, view: View): readonly ContainerScene[] {
  const memory = view.memory(pod.metadata?.uid ?? '');
  const events = view.events(pod.metadata?.uid ?? '');
  const base = podSpecPath(target.ref.kind);
  const template = fieldAt(target.desired, base) as PodSpec | undefined;
  const scene = (spec: Container, list: 'containers' | 'initContainers'): ContainerScene => {
    const statuses = list === 'containers' ? pod.status?.containerStatuses : pod.status?.initContainerStatuses;
    const index = template?.[list]?.findIndex((each) => each.name === spec.name) ?? -1;
    return {
      pod,
      podName: pod.metadata?.name ?? '',
      name: spec.name,
      role: list === 'containers' ? 'app' : spec.restartPolicy === 'Always' ? 'sidecar' : 'init',
      spec,
      status: statuses?.find((status) => status.name === spec.name) ?? null,
      memory: memory?.containers.get(spec.name) ?? null,
      path: index < 0 ? null : [...base, list, index],
      events: events.filter((event) => event.involvedObject.fieldPath?.endsWith(`{${spec.name}}`) === true),
    };
  };
  return [
    ...(pod.spec?.initContainers ?? []).map((spec) => scene(spec, 'initContainers')),
    ...(pod.spec?.containers ?? []).map((spec) => scene(spec, 'containers')),
  ];
}

/** `container "app"`, `init container "migrate"`: as messages name it. */
export function containerTitle(container: ContainerScene): string {
  const role =
    container.role === 'app' ? 'container' : container.role === 'init' ? 'init container' : 'sidecar container';
  return `${role} "${container.name}"`;
}

/** A field of the container in the manifest; null if the manifest does not have the container. */
export function fieldOf(container: ContainerScene, ...field: FieldPath): FieldPath | null {
  return container.path === null ? null : [...container.path, ...field];
}

/** When the pod was created, or first seen where that is not known. */
export function podSince(scene: Scene, pod: Pod): number {
  return timeOf(pod.metadata?.creationTimestamp) ?? scene.view.memory(pod.metadata?.uid ?? '')?.firstSeen ?? scene.now;
}

/** When the container's present run began; null if it does not run. */
export function runningSince(container: ContainerScene): number | null {
  return timeOf(container.status?.state?.running?.startedAt);
}

/** Whether this apply changed a field whose path contains all these parts; false if it is not known. */
export function wasChanged(scene: Scene, ...parts: readonly string[]): boolean {
  return scene.target.changes?.some(({ path }) => parts.every((part) => path.includes(part))) === true;
}
