import { DEPTH } from './depth.ts';
import { dependencyInSight, exitRecord } from './exits.ts';
import { after, observedEvents, observedWaiting } from './ripeness.ts';
import { containerTitle, type Family, fieldOf } from './scene.ts';

/** A container whose postStart hook fails: the kubelet kills it each time. */
export const postStart: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const entry = container.memory?.waiting.find((each) => each.reason === 'PostStartHookError');
    const events = observedEvents(container.events, (event) => event.reason === 'FailedPostStartHook');
    if ((entry === undefined && events === null) || container.status?.ready === true) return [];
    const seen = observedWaiting(container, 'PostStartHookError', events, scene.now);
    const count = Math.max(seen.count, exitRecord(container, scene)?.total ?? 0);
    const message = entry?.message ?? '';
    const waits = dependencyInSight(container, [message], scene);
    const output = /exited with \d+: (.*?)(, message:|$)/s.exec(message)?.[1]?.trim() ?? message;
    return [
      {
        code: 'PostStartHookFailed' as const,
        certainty: 'probable' as const,
        scope: 'application' as const,
        container: container.name,
        summary: `The postStart hook of ${containerTitle(container)} failed ${count} times: ${output || 'it left no message'}`,
        evidence: [{ what: 'PostStartHookError', value: message }],
        remedy: {
          text: 'Correct the command of lifecycle.postStart, or what it needs.',
          path: fieldOf(container, 'lifecycle', 'postStart'),
          value: null,
        },
        falsifier: 'The hook succeeds after one of the next starts.',
        ripeness: waits === null ? after(seen.since, 30, count, 3) : after(seen.since, 150, count, 5),
        depth: DEPTH.hook,
        pods: [container.podName],
      },
    ];
  });
