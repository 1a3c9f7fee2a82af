import type { FieldChange } from '../apply/applied.ts';
import type { Finding } from '../stall/finding.ts';
import { clip } from '../text/escape.ts';
import type { Standing } from '../verdict.ts';
import { fieldName } from './field-name.ts';

/**
 * Joins the cause with what this apply changed, in a sentence: the change that brought it about, or that it was already so before. Empty
 * where nothing is known of a time before.
 */
export function blame(standing: Standing, cause: Finding): string {
  const { target } = standing;
  if (target.changes === null) return '';
  if (target.action === 'created')
    return 'This is the first apply of it: there is no earlier revision to compare with.';
  const spec = target.changes.filter((change) => change.path.startsWith('spec'));
  if (spec.length === 0)
    return `This was already so before this run: the apply changed nothing of its spec${readyBefore(standing)}.`;
  const field = cause.remedy.path === null ? '' : fieldName(cause.remedy.path, target.desired);
  const exact = spec.filter(
    (change) => field !== '' && (change.path.startsWith(field) || field.startsWith(change.path)),
  );
  const pods = podsText(standing, cause);
  if (exact.length > 0)
    return `This apply changed it: ${exact.map(changeText).join('; ')}${pods}${readyBefore(standing)}.`;
  const near = spec.filter((change) => cause.container !== null && change.path.includes(`[${cause.container}]`));
  if (near.length > 0)
    return `This apply changed of the same container: ${near.slice(0, 5).map(changeText).join('; ')}${pods}${readyBefore(standing)}.`;
  return `This apply changed ${spec.slice(0, 5).map(changeText).join('; ')}${readyBefore(standing)}.`;
}

function changeText({ path, from, to }: FieldChange): string {
  if (from === undefined) return `${path} was added (${valueText(to)})`;
  if (to === undefined) return `${path} was removed (it was ${valueText(from)})`;
  return `${path} went from ${valueText(from)} to ${valueText(to)}`;
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return clip(text, 120);
}

function podsText(standing: Standing, cause: Finding): string {
  const total = standing.rollout.pods.length;
  return cause.pods.length === 0 || total === 0
    ? ''
    : `, and ${Math.min(cause.pods.length, total)} of ${total} new pods fail so`;
}

/** The proof that it worked before, or did not: what the controller said right before the apply. */
function readyBefore(standing: Standing): string {
  const status = standing.target.before?.['status'] as { readonly readyReplicas?: number } | undefined;
  const replicas = (standing.target.before?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;
  if (replicas === undefined) return '';
  return `; before it ${status?.readyReplicas ?? 0} of ${replicas} pods were ready`;
}
