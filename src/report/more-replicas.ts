import type { StallCode } from '../stall/finding.ts';

const SAME: string = 'No: every further pod would fail in the same way.';

const ANSWERS: Partial<Readonly<Record<StallCode, string>>> = {
  CapacityInsufficient: 'No: further pods would stay pending as these do, until there is room.',
  PlacementImpossible: 'No: further pods would stay pending as these do, until a node fits.',
  QuotaExceeded: 'No: the quota refuses further pods as it refuses these.',
  AdmissionDenied: 'No: the API server refuses further pods as it refuses these.',
  ServiceAccountMissing: 'No: no pod can be created at all.',
  VolumeUnbound: 'No: further pods would wait for their volumes as these do.',
  ReadinessFlapping:
    'Perhaps: if it is load that makes pods lose their readiness, more of them share it. Look at the signals first.',
  PodDisrupted: 'Not by themselves: the cluster is already replacing the pods that it ended.',
  NodeUnavailable: 'Not by themselves: pods on the lost node are replaced once the cluster gives it up.',
  ProgressDeadlineExceeded: 'Not known: no cause was found. Look at the signals first.',
  NoProgress: 'Not known: no cause was found. Look at the signals first.',
  JobFailed: 'No: a Job that failed is not run again.',
};

/** Whether scaling up could heal a stall, in one sentence, before anyone tries. */
export function couldMoreReplicasHelp(code: StallCode): string {
  return ANSWERS[code] ?? SAME;
}
