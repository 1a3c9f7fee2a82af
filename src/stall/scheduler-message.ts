/** One reason of the scheduler, with the number of nodes it holds for. */
export interface NodeReason {
  readonly nodes: number;
  readonly text: string;
}

/** What the scheduler says of a pod that it could not place. */
export interface SchedulerMessage {
  readonly fit: number;
  readonly total: number;
  readonly reasons: readonly NodeReason[];
}

/**
 * Reads `0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint {key: value}. preemption: …`. What follows the
 * first sentence (preemption, claims) repeats the same nodes. Source: pkg/scheduler/framework FitError.
 */
export function parseSchedulerMessage(message: string): SchedulerMessage {
  const head = /^(\d+)\/(\d+) nodes are available: ?(.*)$/s.exec(message);
  const body = (head?.[3] ?? message)
    .replace(/\s*(no new claims to deallocate|preemption:).*$/s, '')
    .replace(/\.\s*(not found)?\s*$/, '');
  const reasons = body
    .split(/, (?=\d+ )/)
    .map((part) => part.trim().replace(/[.,]$/, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^(\d+) (.*)$/s.exec(part);
      return match === null ? { nodes: 0, text: part } : { nodes: Number(match[1]), text: match[2] ?? '' };
    });
  return { fit: Number(head?.[1] ?? 0), total: Number(head?.[2] ?? 0), reasons };
}

/** The resource that is missing on nodes that would otherwise do, e.g. `cpu`; null if that is not what is wrong. */
export function insufficientResource(message: SchedulerMessage): string | null {
  const reason = message.reasons.find((each) => /^Insufficient |^Too many pods/.test(each.text));
  if (reason === undefined) return null;
  return reason.text.startsWith('Too many pods')
    ? 'pods'
    : (/^Insufficient (\S+)/.exec(reason.text)?.[1] ?? '').replace(/[.,]$/, '');
}

/** Whether the scheduler speaks of a claim or a volume rather than of nodes. */
export function isAboutVolumes(text: string): boolean {
  return /PersistentVolumeClaim|persistentvolumeclaim|persistent volumes to bind|storageclass/i.test(text);
}
