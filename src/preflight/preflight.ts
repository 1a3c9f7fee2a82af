import { autoscaled } from './autoscaled.ts';
import { capacity } from './capacity.ts';
import { deadline } from './deadline.ts';
import { hostPort } from './host-port.ts';
import { nodeSelector } from './node-selector.ts';
import { probePorts } from './probe-ports.ts';
import { quota } from './quota.ts';
import { quotaDemands } from './quota-demands.ts';
import { references } from './references.ts';
import { room } from './room.ts';
import type { Check, PreflightScene } from './scene.ts';
import { services } from './services.ts';
import { sharedVolume } from './shared-volume.ts';
import { storageClass } from './storage-class.ts';
import type { Warning } from './warning.ts';
import { plannedWithoutNulls } from './without-nulls.ts';
import { withoutSurge } from './without-surge.ts';

const CHECKS: readonly Check[] = [
  references,
  quotaDemands,
  quota,
  capacity,
  nodeSelector,
  room,
  hostPort,
  sharedVolume,
  storageClass,
  probePorts,
  services,
  deadline,
  autoscaled,
  withoutSurge,
];

/** What can be known of the rollouts before anything is applied: what would keep them from ever completing first, none twice. */
export function preflight(scene: PreflightScene): readonly Warning[] {
  const plain = { ...scene, objects: scene.objects.map(plannedWithoutNulls) };
  const all = CHECKS.flatMap((check) => check(plain));
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}
