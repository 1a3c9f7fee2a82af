import { isDeepStrictEqual } from 'node:util';
import type { ControllerRevision, DaemonSet, Deployment, PodTemplateSpec, ReplicaSet } from '../kubernetes.ts';
import { sameTemplate, withoutHash } from './template.ts';
import { timeOf } from './time.ts';

/**
 * The ReplicaSet that carries the Deployment's template; null while there is none. An old one that has the same template is taken up
 * again, and of several the oldest counts. Source: deployment controller, FindNewReplicaSet and EqualIgnoreHash.
 */
export function newReplicaSet(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | null {
  const uid = deployment.metadata?.uid;
  const matching = replicaSets
    .filter(
      (set) => set.metadata?.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true,
    )
    .filter((set) => sameTemplate(set.spec?.template, deployment.spec?.template));
  return [...matching].sort(byAge)[0] ?? null;
}

function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [timeOf(a.metadata?.creationTimestamp) ?? 0, timeOf(b.metadata?.creationTimestamp) ?? 0];
  return first - second || ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1);
}

/**
 * The `controller-revision-hash` of the DaemonSet's own template; null while the controller has not written it. The newest revision is
 * the present template's: one that is taken up again gets the highest number. Source: daemon controller, constructHistory.
 */
export function daemonSetRevision(set: DaemonSet, revisions: readonly ControllerRevision[]): string | null {
  const uid = set.metadata?.uid;
  const owned = revisions.filter(
    (revision) => revision.metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true,
  );
  const matching = owned.filter((revision) => carries(revision, set.spec?.template));
  const newest = [...matching].sort((a, b) => b.revision - a.revision)[0];
  return newest?.metadata?.labels?.['controller-revision-hash'] ?? null;
}

/**
 * The revision's data is a patch that replaces the whole template. Here the controller compares bytes: `1Gi` and `1073741824` are two
 * revisions. Source: daemon controller, Match.
 */
function carries(revision: ControllerRevision, template: PodTemplateSpec | undefined): boolean {
  const data = revision.data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } } | undefined;
  const { $patch: _patch, ...carried } = data?.spec?.template ?? {};
  return isDeepStrictEqual(withoutHash(carried as PodTemplateSpec), withoutHash(template));
}
