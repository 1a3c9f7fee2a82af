import { fieldAt } from '../stall/scene.ts';
import { type Effect, NO_EFFECT } from './effect.ts';
import { strategyOf } from './strategy.ts';
import { replicasOf, type Workload } from './workload.ts';

/**
 * What the controller of a Deployment, StatefulSet, DaemonSet or ReplicaSet would do. Source: apps/v1 API reference, strategies and their
 * defaults.
 */
export function rollOf(workload: Workload): Effect {
  const { planned, kind } = workload;
  const count = replicasOf(workload);
  if (planned.action === 'create')
    return {
      does: 'starts',
      text: kind === 'DaemonSet' ? 'starts a pod on every node that fits' : `starts ${pods(count)}`,
    };
  const scaled = scaling(workload);
  if (!planned.changes.some(({ path }) => path.startsWith('spec.template')))
    return scaled === '' ? NO_EFFECT : { does: 'scales', text: scaled };
  const roll: Effect =
    kind !== 'DaemonSet' && count === 0 ? { does: 'waits', text: 'has no pod to replace' } : replacing(workload, count);
  return scaled === '' ? roll : { ...roll, text: `${scaled}, and ${roll.text}` };
}

function scaling({ planned }: Workload): string {
  const change = planned.changes.find(({ path }) => path === 'spec.replicas');
  return change === undefined ? '' : `scales from ${change.from ?? 1} to ${change.to ?? 1}`;
}

function replacing(workload: Workload, count: number): Effect {
  switch (workload.kind) {
    case 'Deployment':
      return deployment(workload, count);
    case 'StatefulSet':
      return statefulSet(workload, count);
    case 'DaemonSet':
      return daemonSet(workload);
    default:
      return { does: 'waits', text: 'gives its new template only to pods that it makes later' };
  }
}

function deployment(workload: Workload, count: number): Effect {
  if (fieldOf(workload, 'paused') === true)
    return { does: 'waits', text: 'is paused: nothing rolls until it is resumed' };
  const strategy = strategyOf(workload);
  if (strategy.type === 'Recreate')
    return { does: 'restarts', text: `ends ${all(count)} before it starts new ones: nothing serves in between` };
  const least = count - strategy.unavailable;
  if (least === 0)
    return { does: 'restarts', text: `may end ${all(count)} before new ones are ready (maxUnavailable)` };
  return {
    does: 'rolls',
    text: `replaces ${pods(count)}: at least ${least} ${least === 1 ? 'stays' : 'stay'} available, at most ${count + strategy.surge} run at once${onlyNotes(workload)}`,
  };
}

function statefulSet(workload: Workload, count: number): Effect {
  if (fieldOf(workload, 'updateStrategy', 'type') === 'OnDelete') return ON_DELETE;
  const partition = Number(fieldOf(workload, 'updateStrategy', 'rollingUpdate', 'partition') ?? 0);
  if (partition >= count) return { does: 'waits', text: `holds ${all(count)} back by its partition ${partition}` };
  if (count === 1)
    return { does: 'restarts', text: 'ends its only pod before it starts the new one: nothing serves in between' };
  const held = partition === 0 ? '' : `; those below ordinal ${partition} stay as they are`;
  return {
    does: 'rolls',
    text: `replaces ${pods(count - partition)} from the last to the first, each ended before its successor starts${held}${onlyNotes(workload)}`,
  };
}

function daemonSet(workload: Workload): Effect {
  if (fieldOf(workload, 'updateStrategy', 'type') === 'OnDelete') return ON_DELETE;
  const surge = fieldOf(workload, 'updateStrategy', 'rollingUpdate', 'maxSurge') ?? 0;
  const between = /^0%?$/.test(String(surge)) ? 'each without one in between' : 'the new one beside the old one';
  return { does: 'rolls', text: `replaces its pods node after node, ${between}${onlyNotes(workload)}` };
}

const ON_DELETE: Effect = {
  does: 'waits',
  text: 'replaces nothing until its pods are deleted by hand (updateStrategy OnDelete)',
};

/** A checksum or `restartedAt` is there to replace pods whose spec stays: worth a word, in case it was not meant. */
function onlyNotes({ planned }: Workload): string {
  const touched = planned.changes.filter(({ path }) => path.startsWith('spec.template'));
  return touched.every(({ path }) => path.startsWith('spec.template.metadata'))
    ? '; only metadata of the template changed'
    : '';
}

/** What the manifest says, else what the cluster has. */
function fieldOf({ planned }: Workload, ...path: readonly string[]): unknown {
  return fieldAt(planned.document.object, ['spec', ...path]) ?? fieldAt(planned.live, ['spec', ...path]);
}

function pods(count: number): string {
  return count === 1 ? '1 pod' : `${count} pods`;
}

function all(count: number): string {
  return count === 1 ? 'its only pod' : `all ${count} pods`;
}
