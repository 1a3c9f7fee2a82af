import type { KubernetesObject, ObjectRef, Pod } from '../kubernetes.ts';
import type { Progress } from './progress.ts';
import type { Target } from './target.ts';
import type { Known, Lookup, LookupValues, View } from './view.ts';

/** Asks for a read: answers with what is known of it, and has it done if nothing is. */
export type Look = <K extends Lookup['kind']>(lookup: Extract<Lookup, { kind: K }>) => Known<LookupValues[K]>;

/** An object that creates the pods of a revision, so that its events say why a pod was not created. */
export interface Creator {
  readonly ref: ObjectRef;
  readonly uid: string;
  /** What the object's own status says of a creation that failed, if it says anything. */
  readonly failure: { readonly message: string; readonly since: number } | null;
  /** How many pods it should have, and has. */
  readonly wanted: number;
  readonly created: number;
}

/** Everything of one target that judgement rests on. */
export interface Rollout {
  readonly progress: Progress;
  /** The revision that is ours, by the name of what carries it; null while there is none. */
  readonly revision: string | null;
  /** Pods of our revision that are not on their way out. */
  readonly pods: readonly Pod[];
  /** Pods of the same workload that are of another revision, or on their way out. */
  readonly otherPods: readonly Pod[];
  readonly creator: Creator | null;
  /** How long our revision may stand still; null if the kind knows no such limit. */
  readonly deadlineSeconds: number | null;
}

/** What a kind's file answers: how far has this target come? Pure: the same view gives the same answer. */
export type KindRule = (target: Target, live: KubernetesObject, view: View, look: Look) => Rollout;

/** A rollout of an object that has no pods of its own. */
export function withoutPods(progress: Progress): Rollout {
  return { progress, revision: null, pods: [], otherPods: [], creator: null, deadlineSeconds: null };
}

/** Whether a pod still counts: it is not being deleted and has not ended. */
export function isActive(pod: Pod): boolean {
  return (
    pod.metadata?.deletionTimestamp === undefined && pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded'
  );
}
