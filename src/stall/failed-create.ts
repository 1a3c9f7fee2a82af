import { eventTimes } from '../rollout/time.ts';
import type { Observed } from './ripeness.ts';
import type { Scene } from './scene.ts';

/** Why the controller could not create a pod, in the API server's own words. */
export interface FailedCreate extends Observed {
  readonly message: string;
}

/**
 * The last refusal of a pod of our revision; null if there is none, or if all pods were created after all. A ReplicaSet says it in its
 * own condition, other kinds by events only; after ten alike these are merged (`(combined from similar events): …`).
 */
export function failedCreate(scene: Scene): FailedCreate | null {
  const creator = scene.rollout.creator;
  if (creator === null || creator.created >= creator.wanted) return null;
  const events = scene.view
    .events(creator.uid)
    .filter((event) => event.reason === 'FailedCreate' && eventTimes(event).last >= scene.target.since - 2000);
  const last = events.at(-1);
  const message = creator.failure?.message ?? last?.message;
  if (message === undefined || message === '') return null;
  const times = events.map(eventTimes);
  const first = Math.min(scene.now, creator.failure?.since ?? scene.now, ...times.map((each) => each.first));
  const since = Math.max(first, scene.target.since);
  const counted = times.reduce((sum, each) => sum + each.count, 0);
  // The controller tries again at once and then ever more slowly: a refusal that stands for ten seconds was repeated.
  const stood = scene.now - since >= 10_000 ? 2 : 1;
  return { message: clean(message), since, count: Math.max(counted, stood) };
}

function clean(message: string): string {
  return message
    .replace(/^\(combined from similar events\): /, '')
    .replace(/^Error creating: /, '')
    .trim();
}
