import { DEPTH } from './depth.ts';
import { exitRecord } from './exits.ts';
import { after, NEVER } from './ripeness.ts';
import { containerTitle, type Family, fieldOf } from './scene.ts';

/** Containers that the kernel kills because they use more memory than they may. */
export const outOfMemory: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const record = exitRecord(container, scene);
    if (record === null || record.last.reason !== 'OOMKilled') return [];
    const limit = container.spec.resources?.limits?.['memory'];
    const kills = Math.max(record.exits.filter((exit) => exit.reason === 'OOMKilled').length, record.streak);
    const times = kills === 1 ? 'once' : `${kills} times`;
    return [
      {
        code: 'OutOfMemory',
        certainty: 'probable',
        scope: 'application',
        container: container.name,
        summary:
          limit === undefined
            ? `The ${containerTitle(container)} was killed ${times} because the node ran out of memory; the container has no limit of its own`
            : `The ${containerTitle(container)} was killed ${times} because it used more memory than its limit of ${limit}`,
        evidence: [
          { what: `OOMKilled, ${times}`, value: `exit code ${record.last.exitCode}` },
          { what: 'limits.memory', value: limit ?? 'none' },
        ],
        remedy: {
          text:
            limit === undefined
              ? 'Set resources.requests.memory to what the container needs, so that it is placed on a node that has it.'
              : `Raise resources.limits.memory above ${limit}, or make the program use less.`,
          path: fieldOf(container, 'resources', 'limits', 'memory'),
          value: null,
        },
        falsifier: 'The container stays below its limit after its next start.',
        ripeness: scene.target.ref.kind === 'Job' ? NEVER : after(record.since, 0, kills, 2),
        depth: DEPTH.memory,
        pods: [container.podName],
      },
    ];
  });
