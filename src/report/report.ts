import type { FieldChange } from '../apply/applied.ts';
import type { Effect } from '../preflight/effect.ts';
import type { Warning } from '../preflight/warning.ts';
import type { SourcePosition } from '../problem.ts';
import type { Counts } from '../rollout/progress.ts';
import type { StallCode } from '../stall/finding.ts';
import type { ReportRollback } from './rollback.ts';
import type { Signal } from './signal.ts';

export type ReportVerdict =
  | 'succeeded'
  | 'stalled'
  | 'timed-out'
  | 'rejected'
  | 'superseded'
  | 'cancelled'
  | 'planned'
  | 'undecided';

/** The tail of one container's log. */
export interface LogTail {
  readonly pod: string;
  readonly container: string;
  /** Of the run before the present one. */
  readonly previous: boolean;
  readonly lines: readonly string[];
  /** Why there are no lines; empty if there are some. */
  readonly missing: string;
}

export interface ReportFinding {
  readonly code: StallCode;
  readonly certainty: 'certain' | 'probable' | 'waiting';
  readonly scope: 'cluster' | 'application';
  readonly ripe: boolean;
  readonly summary: string;
  readonly evidence: readonly { readonly what: string; readonly value: string }[];
  readonly remedy: string;
  /** The field to change and the value to put there, as a person would write them; empty where there is none. */
  readonly field: string;
  readonly value: string;
  readonly falsifier: string;
  readonly container: string;
  readonly pods: readonly string[];
  readonly position: SourcePosition | null;
}

export interface ReportWorkload {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly action: 'created' | 'changed' | 'unchanged' | 'watched';
  readonly verdict: ReportVerdict;
  /** One sentence. */
  readonly reason: string;
  readonly counts: Counts;
  readonly message: string;
  readonly revision: string;
  readonly deadlineSeconds: number;
  /** From the apply to the verdict. */
  readonly seconds: number;
  /** The primary finding; null where nothing stalled. */
  readonly cause: ReportFinding | null;
  readonly findings: readonly ReportFinding[];
  readonly signals: readonly Signal[];
  /** Whether more replicas could help, in one sentence; empty where nothing stalled. */
  readonly moreReplicas: string;
  /** The cause joined with what this apply changed, in one sentence; empty where nothing stalled or nothing is known. */
  readonly blame: string;
  /** What the workload's own annotations changed of the terms; empty if they say nothing. */
  readonly override: string;
  readonly logs: readonly LogTail[];
}

export interface ReportChange {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly action: 'created' | 'changed' | 'unchanged';
  readonly fields: readonly FieldChange[];
  /** What it does, or would do, to pods. */
  readonly effect: Effect;
}

export interface ReportProblem {
  readonly message: string;
  readonly position: SourcePosition | null;
}

export interface TimelineEntry {
  /** Seconds since the start of the run. */
  readonly at: number;
  readonly workload: string;
  readonly text: string;
  /** `4/6`: how many were ready of how many. */
  readonly ready: string;
  /** The finding that mattered most then; empty if there was none. */
  readonly code: StallCode | '';
  /** Empty as long as the workload was undecided. */
  readonly verdict: ReportVerdict | '';
  readonly during: 'rollout' | 'rollback';
}

export interface ReportStage {
  readonly name: 'contract' | 'representation' | 'operation' | 'result';
  readonly milliseconds: number;
}

export interface ReportRequests {
  readonly count: number;
  readonly retries: number;
  readonly bytesReceived: number;
  readonly p50Milliseconds: number;
  readonly p999Milliseconds: number;
}

/** All that a run has to say: `docs/report.schema.json` is its published form. A field, once published, keeps its meaning. */
export interface Report {
  readonly version: 1;
  readonly tool: string;
  readonly verdict: Exclude<ReportVerdict, 'undecided'>;
  readonly cause: StallCode | '';
  /** One sentence that says what is wrong and where. */
  readonly reason: string;
  /** `4/6`: of the workload that decided, or of all. */
  readonly ready: string;
  readonly mode: 'deploy' | 'watch' | 'plan';
  readonly server: string;
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly options: Readonly<Record<string, string>>;
  readonly stages: readonly ReportStage[];
  readonly workloads: readonly ReportWorkload[];
  readonly changes: readonly ReportChange[];
  readonly imageChanges: readonly {
    readonly entry: string;
    readonly object: string;
    readonly from: string;
    readonly to: string;
  }[];
  readonly problems: readonly ReportProblem[];
  /** What could be known before the apply. */
  readonly warnings: readonly Warning[];
  /** What `on-stall: rollback` came to; null if none was asked for or needed. */
  readonly rollback: ReportRollback | null;
  readonly notices: readonly string[];
  readonly timeline: readonly TimelineEntry[];
  readonly requests: ReportRequests;
}
