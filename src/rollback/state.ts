import { isDeepStrictEqual } from 'node:util';
import type { FieldChange } from '../apply/applied.ts';
import type { KubernetesObject } from '../kubernetes.ts';
import { LEDGER_MANAGER, STAMP } from '../ledger/marks.ts';
import { diff } from '../plan/diff.ts';

/** Annotations that controllers, and the gate, write for themselves: no change of one is anybody's request. */
const CONTROLLER_ANNOTATION =
  /^(deployment\.kubernetes\.io\/|deprecated\.daemonset\.template\.generation$|pv\.kubernetes\.io\/|autoscaling\.alpha\.kubernetes\.io\/)/;

export function isControllerAnnotation(name: string): boolean {
  return name === STAMP || CONTROLLER_ANNOTATION.test(name);
}

/** What people ask for of an object: without status, bookkeeping and what controllers note down. */
export function requestOf(object: KubernetesObject): KubernetesObject {
  const { status: _status, metadata, ...rest } = object;
  const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => !isControllerAnnotation(name));
  return { ...rest, metadata: { labels: metadata.labels ?? {}, annotations: Object.fromEntries(own) } };
}

/** What somebody else changed since our apply; values of Secrets are hidden. */
export function changedSince(after: KubernetesObject, live: KubernetesObject): readonly FieldChange[] {
  const [ours, theirs] = [requestOf(after), requestOf(live)];
  const seen = diff(ours, theirs);
  if (seen.length > 0 || isDeepStrictEqual(plain(ours), plain(theirs))) return seen;
  // The diff leaves out what kubectl notes down: that somebody ran kubectl apply is a change all the same.
  return [{ path: 'metadata.annotations', from: undefined, to: undefined }];
}

/** Who wrote to the object since our apply, by its managed fields. */
export function writersSince(after: KubernetesObject, live: KubernetesObject): readonly string[] {
  const known = (after.metadata.managedFields ?? []).map(plain);
  const fresh = (live.metadata.managedFields ?? []).filter(
    (entry) =>
      entry.subresource !== 'status' &&
      entry.manager !== LEDGER_MANAGER &&
      !known.some((each) => isDeepStrictEqual(each, plain(entry))),
  );
  return [...new Set(fresh.map((entry) => entry.manager ?? 'unknown'))];
}

/** Without what is undefined, as it would travel. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
