import { type KubernetesObject, shortName } from '../kubernetes.ts';

/** A value that the server quotes back may be a whole pod template, with all that stands in its variables: longer ones are left out. */
const LONGEST_VALUE = 100;

/** The server's words on a field without a dump of its value. Source: apimachinery, field.Error: `Invalid value: VALUE: DETAIL`. */
export function withoutDump(message: string): string {
  const start = /^(Invalid value|Unsupported value|Duplicate value): /.exec(message)?.[0];
  if (start === undefined || message.length <= start.length + LONGEST_VALUE) return message;
  const detail = message.slice(message.lastIndexOf(': ') + 2);
  return detail.length < message.length - start.length ? `${start}${detail}` : `${message.slice(0, LONGEST_VALUE)}…`;
}

/** What to do about a field that cannot be changed once the object exists; empty where the message speaks of something else. */
export function immutableAdvice(message: string, object: KubernetesObject): string {
  const ref = { kind: object.kind, name: object.metadata.name ?? '' };
  if (/updates to statefulset spec for fields other than/.test(message)) {
    return `; keep its pods and make it anew: kubectl delete statefulset ${ref.name} --cascade=orphan, then run again`;
  }
  if (!/field is immutable|may not change once set|cannot be changed/i.test(message)) return '';
  if (object.kind === 'Job')
    return `; a Job runs once: delete it before (kubectl delete job ${ref.name}), or give it another name for each release`;
  return `; it is fixed while the object exists: delete ${shortName(ref)} and run again, or give the new one another name`;
}
