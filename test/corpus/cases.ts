import type { Case } from './case.ts';
import { CREATION_CASES, SCHEDULING_CASES, VOLUME_CASES } from './cases/cluster.ts';
import { CRASH_CASES, PROBE_CASES, START_CASES } from './cases/container.ts';
import { CONFIG_CASES, IMAGE_CASES } from './cases/image.ts';
import { HERRING_CASES, KIND_CASES } from './cases/kinds.ts';
import { SIMULATED_CASES } from './cases/simulated.ts';

/** The corpus: every stall that a real cluster was made to show, its harmless twins, and what only looks related. */
export const CASES: readonly Case[] = [
  ...IMAGE_CASES,
  ...CONFIG_CASES,
  ...START_CASES,
  ...CRASH_CASES,
  ...PROBE_CASES,
  ...SCHEDULING_CASES,
  ...VOLUME_CASES,
  ...CREATION_CASES,
  ...KIND_CASES,
  ...HERRING_CASES,
  ...SIMULATED_CASES,
];
