import { groupOf } from '../kubernetes.ts';
import type { Planned } from '../plan/planned.ts';
import { type Effect, NO_EFFECT } from './effect.ts';
import { unnoticed } from './readers.ts';
import { rollOf } from './roll.ts';
import { type Workload, workloadsOf } from './workload.ts';

/** What the controllers would make of each object once all are applied, in the objects' order. */
export function effectsOf(objects: readonly Planned[]): readonly Effect[] {
  const workloads = workloadsOf({ objects });
  return objects.map((planned) => {
    if (planned.action === 'keep') return NO_EFFECT;
    const own = workloads.find((workload) => workload.planned === planned);
    return own === undefined ? configuration(planned, workloads) : workloadEffect(own);
  });
}

function workloadEffect(workload: Workload): Effect {
  const { kind, planned } = workload;
  const isNew = planned.action === 'create';
  switch (kind) {
    case 'Job':
      return isNew ? { does: 'starts', text: 'runs once' } : NO_EFFECT;
    case 'CronJob':
      return isNew ? NO_EFFECT : { does: 'waits', text: 'counts from its next run on' };
    case 'Pod':
      return isNew
        ? { does: 'starts', text: 'starts one pod' }
        : touches(planned, 'spec.containers')
          ? { does: 'restarts', text: 'restarts its changed containers in place' }
          : NO_EFFECT;
    default:
      return rollOf(workload);
  }
}

/** A ConfigMap or Secret that changes while the pods that read it stay: the surprise after many a green deploy. */
function configuration(planned: Planned, workloads: readonly Workload[]): Effect {
  const { apiVersion, kind } = planned.ref;
  const isConfiguration = groupOf(apiVersion) === '' && (kind === 'ConfigMap' || kind === 'Secret');
  if (!isConfiguration || planned.action === 'create') return NO_EFFECT;
  return unnoticed(planned.ref, workloads);
}

function touches({ changes }: Planned, path: string): boolean {
  return changes.some((change) => change.path.startsWith(path));
}
