import { clip, oneLine } from '../text/escape.ts';
import { failedWorkloads, isRefusedPlan, primaryFinding } from './failed.ts';
import type { Report, ReportWorkload } from './report.ts';

/** GitHub shows ten annotations of each level for a step; nobody reads more than ten in all. */
const MOST = 10;
/** GitHub cuts a message at 4,096 characters: well before that nobody reads on. */
const LONGEST = 1500;

/** A message on a line of a file, as the runner shows it beside the diff. */
export interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly message: string;
  /** Relative to the workspace; empty where there is no line to name. */
  readonly file: string;
  readonly line: number;
}

/** The most important first, none twice, ten at most unless told otherwise. A run that succeeded has none but what was warned of before. */
export function annotationsOf(report: Report, most: number = MOST): readonly Annotation[] {
  const [decisive = [], ...others] = failedWorkloads(report).map(findingAnnotation);
  const all = [
    ...report.problems.map((problem) => problemAnnotation(problem, isRefusedPlan(report))),
    ...decisive,
    ...rollbackAnnotation(report.rollback),
    ...others.flat(),
    ...report.workloads.flatMap(supersededAnnotation),
    ...report.warnings.map(warningAnnotation),
  ];
  const unique = new Map(
    all.map((annotation) => [
      `${annotation.file}:${annotation.line}:${annotation.title}:${annotation.message}`,
      annotation,
    ]),
  );
  return [...unique.values()].sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error')).slice(0, most);
}

function problemAnnotation(problem: Report['problems'][number], isPlan: boolean): Annotation {
  return {
    level: 'error',
    title: `Rollout Gate: ${isPlan ? 'an apply would be refused' : 'rejected'}`,
    message: clip(oneLine(problem.message), LONGEST),
    file: problem.position?.file ?? '',
    line: problem.position?.line ?? 0,
  };
}

function warningAnnotation({ code, message, object, position }: Report['warnings'][number]): Annotation {
  return {
    level: 'warning',
    title: `Rollout Gate: ${code} expected in ${object}`,
    message: clip(oneLine(message), LONGEST),
    file: position?.file ?? '',
    line: position?.line ?? 0,
  };
}

/** A rollback that went well needs nobody: it is told with the cause, in the summary. */
function rollbackAnnotation(rollback: Report['rollback']): readonly Annotation[] {
  if (rollback === null || rollback.outcome === 'none' || rollback.outcome === 'rolled-back') return [];
  return [
    {
      level: rollback.outcome === 'failed' ? 'error' : 'warning',
      title: `Rollout Gate: rollback ${rollback.outcome}`,
      message: clip(oneLine(rollback.reason), LONGEST),
      file: '',
      line: 0,
    },
  ];
}

function supersededAnnotation({ verdict, kind, name, reason }: ReportWorkload): readonly Annotation[] {
  if (verdict !== 'superseded') return [];
  const message = clip(oneLine(reason), LONGEST);
  return [{ level: 'warning', title: `Rollout Gate: ${kind}/${name} superseded`, message, file: '', line: 0 }];
}

/** Of one that failed: an error. What was only seen of one that was not decided is a warning. */
function findingAnnotation(workload: ReportWorkload): readonly Annotation[] {
  const finding = primaryFinding(workload);
  if (finding === null) return [];
  const value = finding.value === '' || finding.field === '' ? '' : ` Put ${finding.value} at ${finding.field}.`;
  return [
    {
      level: workload.cause === null ? 'warning' : 'error',
      title: `Rollout Gate: ${finding.code} in ${workload.kind}/${workload.name}`,
      message: clip(oneLine(`${workload.reason} — ${finding.remedy}${value}`), LONGEST),
      file: finding.position?.file ?? '',
      line: finding.position?.line ?? 0,
    },
  ];
}
