import type { KubernetesObject } from '../kubernetes.ts';
import type { Counts, Progress } from './progress.ts';
import { type KindRule, withoutPods } from './rollout.ts';
import { generationOf } from './superseded.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface ConventionalStatus {
  readonly observedGeneration?: number | string;
  readonly conditions?: readonly Condition[];
  readonly phase?: string;
  readonly message?: string;
}

const PENDING: Counts = { desired: 1, updated: 1, ready: 0, available: 0, old: 0 };

/**
 * A custom resource is judged by the conventions that controllers share: observedGeneration, then the conditions Stalled, Reconciling
 * and Ready (sigs.k8s.io/cli-utils, kstatus), and the phase of an Argo Rollout. One that follows none of them is complete once applied.
 */
export const followCustomResource: KindRule = (_target, live) => withoutPods(progressOf(live));

function progressOf(live: KubernetesObject): Progress {
  const status = (live['status'] ?? {}) as ConventionalStatus;
  const progressing = (message: string): Progress => ({
    phase: 'progressing',
    counts: PENDING,
    message,
    deadlineExceeded: false,
  });
  const complete = (message: string): Progress => ({
    phase: 'complete',
    counts: { ...PENDING, ready: 1, available: 1 },
    message,
  });
  if (status.observedGeneration !== undefined && Number(status.observedGeneration) < generationOf(live)) {
    return progressing('waiting for its controller to observe the change');
  }
  if (live.kind === 'Rollout' && live.apiVersion.startsWith('argoproj.io/'))
    return argoRollout(status, complete, progressing);
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const stalled = find('Stalled');
  if (stalled?.status === 'True') return progressing(`stalled${why(stalled)}`);
  const reconciling = find('Reconciling');
  if (reconciling?.status === 'True') return progressing(`reconciling${why(reconciling)}`);
  const ready = find('Ready');
  if (ready === undefined) return complete('applied');
  return ready.status === 'True' ? complete('ready') : progressing(`not ready${why(ready)}`);
}

function argoRollout(
  status: ConventionalStatus,
  complete: (message: string) => Progress,
  progressing: (message: string) => Progress,
): Progress {
  const detail = `phase ${status.phase ?? 'unknown'}${status.message === undefined ? '' : `: ${status.message}`}`;
  if (status.phase === 'Healthy') return complete(detail);
  if (status.phase !== 'Paused') return progressing(detail);
  return { phase: 'superseded', counts: PENDING, message: detail, superseded: { by: 'paused', detail } };
}

function why(condition: Condition): string {
  const text = condition.message ?? condition.reason ?? '';
  return text === '' ? '' : `: ${text}`;
}
