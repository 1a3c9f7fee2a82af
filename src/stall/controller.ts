import { generationOf } from '../rollout/superseded.ts';
import { DEPTH } from './depth.ts';
import { NEVER } from './ripeness.ts';
import type { Family } from './scene.ts';

const SILENT_SECONDS = 30;

/** Kinds whose controller writes down the generation that it has observed. */
const OBSERVING: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
]);

/** A controller that does not take notice of our change. */
export const controllerSilent: Family = (scene) => {
  const live = scene.view.object(scene.target.ref);
  const observed = (live?.['status'] as { observedGeneration?: number } | undefined)?.observedGeneration;
  if (live === null || !OBSERVING.has(scene.target.ref.kind) || (observed ?? 0) >= generationOf(live)) return [];
  const silent = scene.now - scene.target.since;
  if (silent < SILENT_SECONDS * 1000) return [];
  return [
    {
      code: 'ControllerSilent' as const,
      certainty: 'waiting' as const,
      scope: 'cluster' as const,
      container: null,
      summary: `The ${scene.target.ref.kind} controller has not taken notice of the change for ${Math.round(silent / 1000)} s`,
      evidence: [{ what: 'generation, observedGeneration', value: `${generationOf(live)}, ${observed ?? 'none'}` }],
      remedy: {
        text: 'See whether kube-controller-manager is running and whether it may reach the API server.',
        path: null,
        value: null,
      },
      falsifier: 'observedGeneration reaches the generation.',
      ripeness: NEVER,
      depth: DEPTH.creation,
      pods: [],
    },
  ];
};
