import { admission } from './admission.ts';
import { configMissing } from './config-missing.ts';
import { containerConfig } from './container-config.ts';
import { controllerSilent } from './controller.ts';
import { crash } from './crash.ts';
import { image } from './image.ts';
import { initStuck } from './init.ts';
import { jobFailed, jobSuspended } from './job.ts';
import { outOfMemory } from './memory.ts';
import { daemonSetHeld, nodeUnavailable, podDisrupted, sandboxFailed } from './node.ts';
import { oldPodsLinger } from './old-pods.ts';
import { postStart } from './post-start.ts';
import { probeKill } from './probe-kill.ts';
import { quota } from './quota.ts';
import { readiness, startupProbeErrors } from './readiness.ts';
import { readinessFlapping, readinessGate } from './readiness-lost.ts';
import type { Family } from './scene.ts';
import { scheduling } from './scheduling.ts';
import { start } from './start.ts';
import { statefulSetTrapped } from './stateful-set.ts';
import { volumeUnbound } from './volume.ts';
import { volumeAttach } from './volume-attach.ts';

/** Every family of stalls. To add one: a file with a `Family`, its codes in `finding.ts`, and a line here. */
export const FAMILIES: readonly Family[] = [
  quota,
  admission,
  controllerSilent,
  volumeUnbound,
  scheduling,
  statefulSetTrapped,
  nodeUnavailable,
  daemonSetHeld,
  sandboxFailed,
  volumeAttach,
  image,
  configMissing,
  containerConfig,
  initStuck,
  start,
  outOfMemory,
  probeKill,
  postStart,
  crash,
  readiness,
  startupProbeErrors,
  readinessFlapping,
  readinessGate,
  jobFailed,
  jobSuspended,
  podDisrupted,
  oldPodsLinger,
];
