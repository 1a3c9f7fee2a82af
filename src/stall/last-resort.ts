import { DEPTH } from './depth.ts';
import type { RawFinding } from './finding.ts';
import { after, NEVER } from './ripeness.ts';
import type { ContainerScene, Scene } from './scene.ts';

/** Codes that explain by themselves why a container restarts or is not ready. */
const EXPLAIN_RESTARTS: ReadonlySet<string> = new Set([
  'CrashLoop',
  'ExitedEarly',
  'OutOfMemory',
  'LivenessKills',
  'StartupKills',
  'InitContainerFailed',
  'StartFailed',
  'PostStartHookFailed',
  'ImagePlatformMismatch',
]);

/** What is left to say where the families found no deeper cause: a rollout that is complete for a moment, again and again. */
export function lastResort(scene: Scene, found: readonly RawFinding[]): readonly RawFinding[] {
  const { breaks } = scene.track;
  const first = breaks[0];
  if (first === undefined) return [];
  const explained = found.some((finding) => EXPLAIN_RESTARTS.has(finding.code)) || scene.containers.some(isCrashing);
  const times = breaks.length === 1 ? 'once' : `${breaks.length} times`;
  return [
    {
      code: 'RestartedInSoak',
      certainty: 'probable',
      scope: 'application',
      container: null,
      summary: `The rollout was complete and lost it again ${times} before it had been stable for long enough`,
      evidence: [{ what: 'stopped being complete', value: times }],
      remedy: {
        text: 'Read the logs below for why containers restart, or lose their readiness, soon after the start.',
        path: null,
        value: null,
      },
      falsifier: 'It stays complete for a whole soak.',
      ripeness: explained ? NEVER : after(first, 60, breaks.length, 2),
      depth: DEPTH.soak,
      pods: [],
    },
  ];
}

/**
 * Without a readiness probe a container is ready for a moment at each start, so that a crash loop makes the rollout complete again and again:
 * then the crashes have their own rule, also in the moments in which the container happens to run.
 */
function isCrashing(container: ContainerScene): boolean {
  const ended = (container.memory?.exits.length ?? 0) > 0;
  return ended && (container.spec.readinessProbe === undefined || container.memory?.wasReady !== true);
}

/** The cause that is named when a clock ran out and no family has anything to say. */
export function clockFinding(scene: Scene, byController: boolean): RawFinding {
  const { counts, message } = scene.rollout.progress;
  const stood = Math.round((scene.now - scene.track.lastProgressAt) / 1000);
  return {
    code: byController ? 'ProgressDeadlineExceeded' : 'NoProgress',
    certainty: 'probable',
    scope: 'cluster',
    container: null,
    summary: byController
      ? `The controller reports that the rollout exceeded its progress deadline: ${message}`
      : `Nothing moved for ${stood} s: ${message}`,
    evidence: [
      {
        what: 'pods',
        value: `${counts.desired} desired, ${counts.updated} updated, ${counts.ready} ready, ${counts.available} available, ${counts.old} old`,
      },
    ],
    remedy: {
      text: 'See the signals below; if the rollout only needs more time, raise spec.progressDeadlineSeconds.',
      path: ['spec', 'progressDeadlineSeconds'],
      value: null,
    },
    falsifier: 'A pod becomes ready.',
    ripeness: after(scene.track.lastProgressAt, 0),
    depth: DEPTH.clock,
    pods: [],
  };
}
