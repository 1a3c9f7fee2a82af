import type { Applied } from './apply/applied.ts';
import { type KubernetesObject, refOf } from './kubernetes.ts';
import { isFollowed } from './rollout/kinds.ts';
import type { Target } from './rollout/target.ts';

/** The applied objects that become something only after a while; all others are done once they are applied. */
export function targetsOf(applied: readonly Applied[], fieldManager: string): readonly Target[] {
  return applied
    .filter((each) => isFollowed(each.after))
    .map((each) => ({
      ref: each.ref,
      desired: each.after,
      before: each.before,
      action: each.action,
      changes: each.changes,
      since: each.appliedAt,
      fieldManager,
      positionOf: each.source.at,
    }));
}

/** Live objects that something else rolled out, as they stand now. @param now milliseconds since the epoch by the server's clock */
export function watchedTargets(
  objects: readonly KubernetesObject[],
  fieldManager: string,
  now: number,
): readonly Target[] {
  return objects.map((object) => ({
    ref: refOf(object),
    desired: object,
    before: null,
    action: 'watched',
    changes: null,
    since: now,
    fieldManager,
    positionOf: () => null,
  }));
}
