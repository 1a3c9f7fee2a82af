import type { FieldPath, ObjectRef } from '../kubernetes.ts';
import type { SourcePosition } from '../problem.ts';

/** The published codes: once out, a code keeps its meaning. `docs/stalls.md` says what each stands for. */
export const STALL_CODES = [
  'ImageNameInvalid',
  'ImageNeverPull',
  'ImageNotFound',
  'ImagePlatformMismatch',
  'ImageUnauthorized',
  'RegistryUnavailable',
  'ImagePullSlow',
  'ConfigMissing',
  'ContainerConfigInvalid',
  'StartFailed',
  'PostStartHookFailed',
  'CrashLoop',
  'ExitedEarly',
  'OutOfMemory',
  'LivenessKills',
  'StartupKills',
  'ReadinessNeverPasses',
  'ReadinessFlapping',
  'ReadinessGatePending',
  'InitContainerFailed',
  'InitContainerStuck',
  'CapacityInsufficient',
  'PlacementImpossible',
  'PodGated',
  'PodDisrupted',
  'QuotaExceeded',
  'AdmissionDenied',
  'WebhookUnavailable',
  'ServiceAccountMissing',
  'VolumeUnbound',
  'VolumeAttachBlocked',
  'SandboxFailed',
  'NodeUnavailable',
  'OldPodsLinger',
  'StatefulSetTrapped',
  'JobFailed',
  'JobSuspended',
  'ControllerSilent',
  'ProgressDeadlineExceeded',
  'NoProgress',
  'RestartedInSoak',
  'ServiceWithoutEndpoints',
  'Paused',
  'Superseded',
] as const;

export type StallCode = (typeof STALL_CODES)[number];

/**
 * When waiting longer stops making sense. `span`: once `count` of `needed` observations were made and `seconds` went by since
 * `since` (milliseconds since the epoch); both are scaled by the user's patience. `never`: it may heal by itself at any time, so
 * it only becomes the cause if the deadline passes.
 */
export type Ripeness =
  | {
      readonly kind: 'span';
      readonly since: number;
      readonly seconds: number;
      readonly count: number;
      readonly needed: number;
    }
  | { readonly kind: 'never' };

/** One observed fact that speaks for a finding. */
export interface Evidence {
  readonly what: string;
  readonly value: string;
}

/** What to do about it. */
export interface Remedy {
  /** An imperative sentence. */
  readonly text: string;
  /** The field to change, in the workload's own manifest; null if it is elsewhere. */
  readonly path: FieldPath | null;
  /** The value to put there, where it can be computed. */
  readonly value: string | null;
}

/** What a rule says, before the engine has weighed it. */
export interface RawFinding {
  readonly code: StallCode;
  readonly certainty: 'certain' | 'probable' | 'waiting';
  readonly scope: 'cluster' | 'application';
  /** The container at fault, if it is one. */
  readonly container: string | null;
  /** One sentence: what is wrong, with the names and numbers that matter. */
  readonly summary: string;
  readonly evidence: readonly Evidence[];
  readonly remedy: Remedy;
  /** What would prove this finding wrong. */
  readonly falsifier: string;
  readonly ripeness: Ripeness;
  /** How deep in the chain of causes it sits: the deepest is named first. */
  readonly depth: number;
  /** Names of the pods that it explains. */
  readonly pods: readonly string[];
}

/** A finding that was weighed against the user's patience and the clock. */
export interface Finding extends RawFinding {
  readonly workload: ObjectRef;
  readonly ripe: boolean;
  /** Milliseconds since the epoch at which it ripens if nothing changes; null if it never does by time alone. */
  readonly ripensAt: number | null;
  /** Where in the manifest the field of the remedy stands. */
  readonly position: SourcePosition | null;
}

/** How much longer (or shorter) than the rule's own span to wait: a factor, or nothing before the deadline. */
export type Patience = number | 'deadline';
