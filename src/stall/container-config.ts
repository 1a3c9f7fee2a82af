import { parseMissing } from './config-missing.ts';
import { DEPTH } from './depth.ts';
import type { RawFinding } from './finding.ts';
import { after, NEVER, observedEvents, observedWaiting } from './ripeness.ts';
import { type ContainerScene, containerTitle, type Family, fieldOf } from './scene.ts';

/** A container that the runtime or the kubelet will not make as it is described. */
export const containerConfig: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const waiting = container.status?.state?.waiting;
    const reason = waiting?.reason ?? '';
    const message = waiting?.message ?? '';
    if (reason !== 'CreateContainerConfigError' && reason !== 'CreateContainerError') return [];
    if (parseMissing(message) !== null || isStartError(message)) return [];
    const events = observedEvents(
      container.events,
      (event) => event.reason === 'Failed' && event.message?.includes(message) === true,
    );
    const seen = observedWaiting(container, reason, events, scene.now);
    const mayHeal = /is reserved for|already in use|deadline exceeded|failed to sync|timed out|cache/i.test(message);
    return [
      {
        code: 'ContainerConfigInvalid',
        certainty: mayHeal ? 'waiting' : 'certain',
        scope: 'application',
        container: container.name,
        summary: `The ${containerTitle(container)} cannot be created as it is described: ${message}`,
        evidence: [{ what: `waiting ${reason}, seen ${seen.count} times`, value: message }],
        remedy: remedyFor(container, message),
        falsifier: 'The kubelet creates the container at a later attempt.',
        ripeness: mayHeal ? NEVER : after(seen.since, reason === 'CreateContainerError' ? 20 : 0, seen.count, 2),
        depth: DEPTH.configuration,
        pods: [container.podName],
      } satisfies RawFinding,
    ];
  });

/** Some runtimes look for the program already when they create the container: that is for `start.ts`. */
export function isStartError(message: string): boolean {
  return /executable file not found|no such file or directory|(?:not|is) a directory|exec format error|permission denied/i.test(
    message,
  );
}

function remedyFor(container: ContainerScene, message: string): RawFinding['remedy'] {
  if (/runAsNonRoot/.test(message)) {
    const own = container.spec.securityContext?.runAsNonRoot !== undefined;
    return {
      text: 'Set securityContext.runAsUser to a user other than 0, or build the image with a numeric USER.',
      path: fieldOf(container, ...(own ? ['securityContext', 'runAsNonRoot'] : ['name'])),
      value: null,
    };
  }
  return {
    text: 'Change the field of the container that the message names.',
    path: fieldOf(container, 'name'),
    value: null,
  };
}
