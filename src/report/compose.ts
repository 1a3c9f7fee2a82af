import type { Applied } from '../apply/applied.ts';
import { type ObjectRef, refKey, shortName } from '../kubernetes.ts';
import type { ImageChange } from '../manifest/document.ts';
import { type Effect, NO_EFFECT } from '../preflight/effect.ts';
import type { Warning } from '../preflight/warning.ts';
import { decisive, runVerdict } from '../run-verdict.ts';
import type { Judgement, Standing } from '../verdict.ts';
import type { Report, ReportChange, ReportRequests, ReportStage, TimelineEntry } from './report.ts';
import { type Inspection, reasonOf, reportWorkload } from './workload.ts';

/** What is known of a run whatever came of it. */
export interface RunFacts {
  readonly tool: string;
  readonly mode: Report['mode'];
  readonly server: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly options: Report['options'];
  readonly stages: readonly ReportStage[];
  readonly imageChanges: readonly ImageChange[];
  readonly applied: readonly Applied[];
  readonly warnings: readonly Warning[];
  /** By the key of the object's reference. */
  readonly effects: ReadonlyMap<string, Effect>;
  readonly notices: readonly string[];
  readonly timeline: readonly TimelineEntry[];
  readonly requests: ReportRequests;
}

/** The report of a run that came to an end of its own, or was cancelled in the middle of it. */
export function composeReport(
  facts: RunFacts,
  judgement: Judgement | null,
  inspections: ReadonlyMap<Standing, Inspection>,
  cancelled: boolean,
): Report {
  const standings = judgement?.standings ?? [];
  const decided = decisive(standings);
  const verdict = cancelled ? 'cancelled' : runVerdict(standings);
  return {
    ...base(facts),
    verdict,
    cause: causeOf(decided),
    reason: decided === null ? reasonOfAll(facts, standings, cancelled) : reasonOf(decided),
    ready: readyText(decided === null ? standings : [decided]),
    workloads: standings.map((standing) =>
      reportWorkload(standing, inspections.get(standing) ?? { signals: [], logs: [] }),
    ),
    problems: [],
  };
}

/** What an apply would do, for a run that only planned it. */
export function plannedReport(facts: RunFacts, planned: readonly ForeseenObject[]): Report {
  const changes = planned.map((each) => reportChange(each, facts));
  const count = (action: ReportChange['action']) => changes.filter((change) => change.action === action).length;
  const warnings = facts.warnings.length;
  const warned = warnings === 0 ? '' : `, with ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  const reason = `An apply would create ${count('created')}, change ${count('changed')} and leave ${count('unchanged')} objects as they are${onPods(changes)}${warned}; nothing was applied`;
  return { ...base(facts), changes, verdict: 'planned', cause: '', reason, ready: '', workloads: [], problems: [] };
}

/** The workloads whose pods would be ended or replaced: what a reviewer asks first. */
function onPods(changes: readonly ReportChange[]): string {
  const named = (does: Effect['does']) => changes.filter(({ effect }) => effect.does === does).map(shortName);
  const parts = [
    ['restart', named('restarts')],
    ['roll', named('rolls')],
    ['scale', named('scales')],
  ] as const;
  const text = parts.flatMap(([verb, names]) =>
    names.length === 0
      ? []
      : [`${verb} ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`],
  );
  return text.length === 0 ? '' : `; it would ${text.join(', and ')}`;
}

/** The report of a run that the input, the server or the connection did not let go on. */
export function rejectedReport(facts: RunFacts, problems: Report['problems']): Report {
  const first = problems[0]?.message ?? 'rejected';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const changed = facts.applied.filter((each) => each.action !== 'unchanged');
  const left =
    changed.length === 0
      ? 'Nothing was changed'
      : `Changed before that: ${changed.map((each) => shortName(each.ref)).join(', ')}`;
  return {
    ...base(facts),
    verdict: 'rejected',
    cause: '',
    reason: `${/[.?!]$/.test(first) && more === '' ? first : `${first.replace(/\.$/, '')}${more}.`} ${left}.`,
    ready: '',
    workloads: [],
    problems,
  };
}

function base(facts: RunFacts) {
  return {
    version: 1 as const,
    tool: facts.tool,
    mode: facts.mode,
    server: facts.server,
    startedAt: new Date(facts.startedAt).toISOString(),
    durationSeconds: Math.round((facts.endedAt - facts.startedAt) / 100) / 10,
    options: facts.options,
    stages: facts.stages,
    changes: facts.applied.map((each) => reportChange({ ...each, fields: each.changes }, facts)),
    imageChanges: facts.imageChanges.map((change) => ({
      entry: change.entry,
      object: shortName(change.document),
      from: change.from,
      to: change.to,
    })),
    warnings: facts.warnings,
    rollback: null,
    notices: facts.notices,
    timeline: facts.timeline,
    requests: facts.requests,
  };
}

/** One object as it was applied, or would be. */
interface ForeseenObject extends Pick<ReportChange, 'action' | 'fields'> {
  readonly ref: ObjectRef;
}

function reportChange({ ref, action, fields }: ForeseenObject, { effects }: RunFacts): ReportChange {
  const { kind, name, namespace } = ref;
  return { kind, name, namespace, action, fields, effect: effects.get(refKey(ref)) ?? NO_EFFECT };
}

function causeOf(standing: Standing | null): Report['cause'] {
  const decision = standing?.decision;
  if (decision === null || decision === undefined) return '';
  if ('cause' in decision) return decision.cause.code;
  return decision.verdict === 'superseded' ? decision.code : '';
}

function reasonOfAll(facts: RunFacts, standings: readonly Standing[], cancelled: boolean): string {
  if (cancelled) return 'The run was cancelled; the rollout goes on in the cluster';
  const only = standings.length === 1 ? standings[0] : undefined;
  if (only !== undefined) return reasonOf(only);
  const changed = facts.applied.filter((each) => each.action !== 'unchanged').length;
  const applied = facts.mode === 'watch' ? '' : `, ${changed} of ${facts.applied.length} objects changed`;
  return standings.length === 0 ? `Nothing to follow${applied}` : `All ${standings.length} rolled out${applied}`;
}

function readyText(standings: readonly Standing[]): string {
  const counts = standings.map((standing) => standing.rollout.progress.counts);
  if (counts.length === 0) return '';
  const sum = (of: 'ready' | 'desired') => counts.reduce((total, each) => total + each[of], 0);
  return `${sum('ready')}/${sum('desired')}`;
}
