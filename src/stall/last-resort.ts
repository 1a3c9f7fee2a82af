import { DEPTH } from './depth.ts';
import { describeExit, endedAfterComplete, exitRecord, lastLines } from './exits.ts';
import type { RawFinding } from './finding.ts';
import { lastWords } from './last-words.ts';
import { after, NEVER } from './ripeness.ts';
import { type ContainerScene, containerTitle, fieldOf, type Scene } from './scene.ts';

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

/**
 * What is left to say where the families found no deeper cause: a rollout that was complete and lost it, again and again. One restart is
 * forgiven if a whole soak passes without another.
 */
export function lastResort(scene: Scene, found: readonly RawFinding[]): readonly RawFinding[] {
  const { breaks } = scene.track;
  const first = breaks[0];
  if (first === undefined) return [];
  const explained =
    found.some((finding) => EXPLAIN_RESTARTS.has(finding.code)) || scene.containers.some(isJudgedElsewhere);
  const times = breaks.length === 1 ? 'once' : `${breaks.length} times`;
  const ended = scene.containers.find((container) => endedAfterComplete(container, scene));
  const record = ended === undefined ? null : exitRecord(ended, scene);
  const said = ended === undefined ? undefined : lastWords(lastLines(ended, scene));
  const why =
    ended === undefined || record === null
      ? ''
      : `; ${containerTitle(ended)} ended with ${describeExit(record.last)}${said === undefined ? '' : `, and its last words were: ${said.slice(0, 300)}`}`;
  return [
    {
      code: 'RestartedInSoak',
      certainty: 'probable',
      scope: 'application',
      container: ended?.name ?? null,
      summary: `The rollout was complete and lost it again ${times} before it had been stable for long enough${why}`,
      evidence: [
        { what: 'stopped being complete', value: times },
        ...(record === null ? [] : [{ what: 'last end', value: describeExit(record.last) }]),
        ...(said === undefined ? [] : [{ what: 'its last words', value: said }]),
      ],
      remedy: {
        text: 'Read the logs below for why containers end, or lose their readiness, soon after the start.',
        path: ended === undefined ? null : fieldOf(ended, 'image'),
        value: null,
      },
      falsifier: 'It stays complete for a whole soak.',
      ripeness: explained ? NEVER : after(first, 30, breaks.length, 2),
      depth: DEPTH.soak,
      pods: ended === undefined ? [] : [ended.podName],
    },
  ];
}

/**
 * Without a readiness probe a container is ready for a moment at each start, so that a crash loop makes the rollout complete again and again;
 * one that loses its readiness without a restart flaps. Both have rules of their own, also in the moments in which all seems well.
 */
function isJudgedElsewhere(container: ContainerScene): boolean {
  const ended = (container.memory?.exits.length ?? 0) > 0;
  if (!ended) return (container.memory?.readyLost ?? 0) > 0;
  return container.spec.readinessProbe === undefined || container.memory?.wasReady !== true;
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
    remedy: clockRemedy(scene),
    falsifier: 'A pod becomes ready.',
    ripeness: after(scene.track.lastProgressAt, 0),
    depth: DEPTH.clock,
    pods: [],
  };
}

function clockRemedy(scene: Scene): RawFinding['remedy'] {
  const { kind, name, namespace } = scene.target.ref;
  if (kind === 'Deployment') {
    const text = 'See the signals below; if the rollout only needs more time, raise spec.progressDeadlineSeconds.';
    return { text, path: ['spec', 'progressDeadlineSeconds'], value: null };
  }
  const where = namespace === '' ? '' : ` -n ${namespace}`;
  const text = `See what its controller says (kubectl describe ${kind.toLowerCase()} ${name}${where}); if it only needs more time, raise the input timeout.`;
  return { text, path: null, value: null };
}
