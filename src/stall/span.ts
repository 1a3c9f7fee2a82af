import type { Scene } from './scene.ts';

/** How long what is missing may still be made by something that is coming up: as long as a crash with a dependency in sight is given. */
const WITH_OTHERS_SECONDS = 150;

/** The span of a finding, in seconds: longer while another workload of the same run makes progress, which may be what it waits for. */
export function spanOf(scene: Scene, seconds: number): number {
  return scene.othersComingUp.length === 0 ? seconds : Math.max(seconds, WITH_OTHERS_SECONDS);
}

/** A Job of the same run that is still at work: migrations and setup Jobs make what others wait for, and take their time. */
export function jobAtWork(scene: Scene): string | null {
  return scene.othersComingUp.find((name) => name.startsWith('Job/')) ?? null;
}
