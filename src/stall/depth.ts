/**
 * How deep in the chain of causes a finding sits. What stands nearer to the root hides everything after it: a pod that was never
 * created cannot be scheduled, one that was not scheduled pulls no image, one whose image is missing never fails its probe.
 */
export const DEPTH = {
  creation: 100,
  volume: 95,
  scheduling: 90,
  trap: 88,
  node: 80,
  mount: 75,
  image: 70,
  configuration: 65,
  init: 60,
  start: 58,
  memory: 56,
  probeKill: 54,
  hook: 53,
  crash: 50,
  readiness: 40,
  disruption: 30,
  linger: 20,
  soak: 15,
  clock: 10,
} as const;
