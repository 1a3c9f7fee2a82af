import { type Pod, shortName } from '../kubernetes.ts';
import { isActive } from '../rollout/rollout.ts';
import type { Finding } from '../stall/finding.ts';
import { overrideOf, PATIENCE_ANNOTATION, TOLERATE_ANNOTATION } from '../stall/override.ts';
import type { Decision, Standing } from '../verdict.ts';
import { blame } from './blame.ts';
import { fieldName } from './field-name.ts';
import { couldMoreReplicasHelp } from './more-replicas.ts';
import type { LogTail, ReportFinding, ReportWorkload } from './report.ts';
import type { Signal } from './signal.ts';

/** What was read about a workload after its verdict. */
export interface Inspection {
  readonly signals: readonly Signal[];
  readonly logs: readonly LogTail[];
}

/** One workload as the report shows it. */
export function reportWorkload(standing: Standing, inspection: Inspection): ReportWorkload {
  const { target, rollout, decision } = standing;
  const cause = decision !== null && 'cause' in decision ? decision.cause : null;
  return {
    kind: target.ref.kind,
    name: target.ref.name,
    namespace: target.ref.namespace,
    action: target.action,
    verdict: decision?.verdict ?? 'undecided',
    reason: reasonOf(standing),
    counts: rollout.progress.counts,
    message: rollout.progress.message,
    revision: rollout.revision ?? '',
    deadlineSeconds: Math.round((standing.deadlineAt - standing.track.lastProgressAt) / 1000) || 0,
    seconds: Math.max(0, Math.round(((decision?.at ?? target.since) - target.since) / 100) / 10),
    cause: cause === null ? null : reportFinding(cause, standing),
    findings: standing.findings.map((finding) => reportFinding(finding, standing)),
    signals: inspection.signals,
    moreReplicas: cause === null ? '' : couldMoreReplicasHelp(cause.code),
    blame: cause === null ? '' : blame(standing, cause),
    override: overrideText(standing),
    logs: inspection.logs,
  };
}

/** The outcome in one sentence, with the object's name. */
export function reasonOf(standing: Standing): string {
  const name = shortName(standing.target.ref);
  const { decision, rollout } = standing;
  if (decision === null) return `${name} is undecided: ${rollout.progress.message}`;
  const ready = countsText(standing);
  switch (decision.verdict) {
    case 'succeeded':
      return `${name}: ${rollout.progress.message}`;
    case 'stalled':
      return `${name} ${ready}: ${decision.cause.summary}`;
    case 'timed-out':
      return `${name} ${ready}, and ${clockText(decision, standing)}: ${decision.cause.summary}`;
    case 'superseded':
      return `${name} was left alone: ${decision.detail}`;
    case 'undecided':
      return `${name} ${ready}; the wait ended before it was decided${seenText(standing)}`;
  }
}

function seenText({ findings }: Standing): string {
  const seen = findings[0];
  return seen === undefined ? '' : `. Seen until then: ${seen.summary}`;
}

function overrideText(standing: Standing): string {
  const { patience, tolerated } = overrideOf(standing.target.desired);
  const parts = [
    ...(patience === null ? [] : [`${PATIENCE_ANNOTATION}: ${patience}`]),
    ...(tolerated.length === 0 ? [] : [`${TOLERATE_ANNOTATION}: ${tolerated.join(', ')}`]),
  ];
  return parts.join('; ');
}

/** What is ready of the new revision (of a Deployment; others count all their pods); and whether the old one still does the work, which is the first question at the worst moment. */
function countsText({ target, rollout }: Standing): string {
  const { ready, desired } = rollout.progress.counts;
  const serving = target.ref.kind === 'Deployment' ? rollout.otherPods.filter(isServing).length : 0;
  const still =
    serving === 0 ? '' : `, while ${serving} old ${serving === 1 ? 'pod still serves' : 'pods still serve'}`;
  return `has ${ready} of ${desired} ready${still}`;
}

function isServing(pod: Pod): boolean {
  return (
    isActive(pod) && pod.status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true
  );
}

function clockText(decision: Extract<Decision, { verdict: 'timed-out' }>, standing: Standing): string {
  if (decision.clock === 'timeout') return 'the run reached its timeout';
  const seconds = Math.round((standing.deadlineAt - standing.track.lastProgressAt) / 1000);
  return `made no progress for ${seconds} s`;
}

function reportFinding(finding: Finding, standing: Standing): ReportFinding {
  return {
    code: finding.code,
    certainty: finding.certainty,
    scope: finding.scope,
    ripe: finding.ripe,
    summary: finding.summary,
    evidence: finding.evidence,
    remedy: finding.remedy.text,
    field: finding.remedy.path === null ? '' : fieldName(finding.remedy.path, standing.target.desired),
    value: finding.remedy.value ?? '',
    falsifier: finding.falsifier,
    container: finding.container ?? '',
    pods: finding.pods,
    position: finding.position,
  };
}
