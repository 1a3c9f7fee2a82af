import { DEPTH } from './depth.ts';
import {
  dependencyInSight,
  describeExit,
  type ExitRecord,
  endedAfterComplete,
  exitRecord,
  isDown,
  lastLines,
} from './exits.ts';
import type { RawFinding, Ripeness } from './finding.ts';
import { lastWords } from './last-words.ts';
import { probeKills } from './probe-kill.ts';
import { after, atSight, NEVER } from './ripeness.ts';
import { type ContainerScene, containerTitle, type Family, fieldOf, type Scene } from './scene.ts';
import { startFailure } from './start.ts';

/** The kubelet starts a container that ends again after 0, 10, 30, 70 and 150 s: its own rhythm is the measure. */
const PLAIN = { exits: 3, seconds: 30 } as const;
const WITH_DEPENDENCY = { exits: 5, seconds: 150 } as const;

/**
 * Containers that end again and again: CrashLoop, ExitedEarly (with success, where nothing should end), or InitContainerFailed for those
 * that must end well, or keep running, before the app is started. What has a deeper reason (out of memory, killed by a probe, cannot be
 * started, hook failed) is left to that family.
 */
export const crash: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const record = exitRecord(container, scene);
    if (record === null || isExplained(container, record, scene)) return [];
    if (container.role === 'init' && record.last.exitCode === 0) return [];
    if (!isDown(container) || endedAfterComplete(container, scene)) return [];
    return [judge(container, record, scene)];
  });

function isExplained(container: ContainerScene, record: ExitRecord, scene: Scene): boolean {
  if (record.last.reason === 'OOMKilled') return true;
  if (startFailure(container, record, scene) !== null) return true;
  if (probeKills(container, record) !== null) return true;
  return container.memory?.waiting.some((entry) => entry.reason === 'PostStartHookError') === true;
}

function judge(container: ContainerScene, record: ExitRecord, scene: Scene): RawFinding {
  const lines = lastLines(container, scene);
  const dependency = dependencyInSight(container, lines, scene);
  const exit = describeExit(record.last);
  const early = record.last.exitCode === 0;
  const times = record.total === 1 ? 'once' : `${record.total} times`;
  const said = lastWords(lines);
  return {
    code: container.role !== 'app' ? 'InitContainerFailed' : early ? 'ExitedEarly' : 'CrashLoop',
    certainty: 'probable',
    scope: 'application',
    container: container.name,
    summary: summaryOf(container, early, times, exit, said),
    evidence: [
      { what: `ended ${times}`, value: `${exit}${record.last.message === '' ? '' : `: ${record.last.message}`}` },
      ...(said === undefined ? [] : [{ what: 'its last words', value: said }]),
      ...(dependency === null ? [] : [{ what: 'may be waiting for something', value: dependency }]),
    ],
    remedy: remedyOf(container, early),
    falsifier: 'The container stays up after one of its next starts.',
    ripeness: ripenessOf(container, record, dependency !== null, scene),
    depth: container.role === 'app' ? DEPTH.crash : DEPTH.init,
    pods: [container.podName],
  };
}

function summaryOf(
  container: ContainerScene,
  early: boolean,
  times: string,
  exit: string,
  said: string | undefined,
): string {
  const quote = said === undefined ? '' : `; its last words: ${said.slice(0, 300)}`;
  const title = containerTitle(container);
  if (early) return `The ${title} ended ${times} with exit code 0, but it should keep running${quote}`;
  return `The ${title} ended ${times} with ${exit}${container.role === 'init' ? ', so that the app is never started' : ''}${quote}`;
}

function remedyOf(container: ContainerScene, early: boolean): RawFinding['remedy'] {
  const field = container.spec.command !== undefined ? 'command' : container.spec.args !== undefined ? 'args' : 'image';
  const path = fieldOf(container, field);
  if (early) {
    return {
      text: 'Give the container a command that keeps running in the foreground; work that ends belongs in a Job.',
      path,
      value: null,
    };
  }
  return {
    text: `Read the log of ${containerTitle(container)} below and correct what makes it end.`,
    path,
    value: null,
  };
}

/** A Job counts its failures itself (backoffLimit): until it gives up, a failed pod is only retried. */
function ripenessOf(container: ContainerScene, record: ExitRecord, dependency: boolean, scene: Scene): Ripeness {
  // A bare pod that has failed is not started again by anyone.
  if (scene.target.ref.kind === 'Pod' && container.pod.status?.phase === 'Failed') return atSight(scene.now);
  if (scene.target.ref.kind === 'Job') return NEVER;
  const needed = dependency ? WITH_DEPENDENCY : PLAIN;
  // Another exit code may be progress: such ends are given as long as those with a dependency in sight.
  if (record.streak < needed.exits && record.total >= WITH_DEPENDENCY.exits)
    return after(record.begun, WITH_DEPENDENCY.seconds, record.total, WITH_DEPENDENCY.exits);
  return after(record.since, needed.seconds, record.streak, needed.exits);
}
