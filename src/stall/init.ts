import { DEPTH } from './depth.ts';
import { NEVER } from './ripeness.ts';
import { containerTitle, type Family, fieldOf, runningSince } from './scene.ts';

/** An init container that takes longer is worth a word. */
const LONG_SECONDS = 20;

/** Init containers that run and do not end, so that the app is not started yet. */
export const initStuck: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const since = container.role === 'init' ? runningSince(container) : null;
    if (since === null || scene.now - since < LONG_SECONDS * 1000) return [];
    const log = scene.look({
      kind: 'log',
      namespace: container.pod.metadata?.namespace ?? '',
      pod: container.podName,
      container: container.name,
      previous: false,
      restart: container.status?.restartCount ?? 0,
    });
    const said = log.state === 'known' ? log.value.findLast((line) => line.trim() !== '') : undefined;
    const running = `${Math.round((scene.now - since) / 1000)} s`;
    return [
      {
        code: 'InitContainerStuck' as const,
        certainty: 'waiting' as const,
        scope: 'application' as const,
        container: container.name,
        summary: `The ${containerTitle(container)} runs since ${running} and has not ended, so that the app is not started${said === undefined ? '' : `; its last words: ${said.trim().slice(0, 200)}`}`,
        evidence: [
          { what: 'running since', value: running },
          ...(said === undefined ? [] : [{ what: 'last line of the log', value: said }]),
        ],
        remedy: {
          text: `See what ${containerTitle(container)} waits for: its log is below.`,
          path: fieldOf(container, 'name'),
          value: null,
        },
        falsifier: 'It ends.',
        ripeness: NEVER,
        depth: DEPTH.init,
        pods: [container.podName],
      },
    ];
  });
