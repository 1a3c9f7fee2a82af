import { type FieldPath, shortName } from '../kubernetes.ts';
import type { Planned } from '../plan/planned.ts';
import type { SourcePosition } from '../problem.ts';
import type { StallCode } from '../stall/finding.ts';

/** Codes of what no stall stands for. `docs/preflight.md` says what each means; once out, a code keeps its meaning. */
export const PREFLIGHT_CODES = ['LivenessNeverRuns', 'UpdateWithoutSurge', 'ReplicasContested'] as const;

/** The code of the stall that would follow, or one of preflight's own. */
export type WarningCode = StallCode | (typeof PREFLIGHT_CODES)[number];

/** What can be known before the apply: never a reason to refuse it. */
export interface Warning {
  readonly code: WarningCode;
  /** What is wrong and what to do, with the names and numbers that matter. */
  readonly message: string;
  readonly position: SourcePosition | null;
  /** `Deployment/web` */
  readonly object: string;
}

/** @param path the field at fault; the warning stands on its line, or on that of its nearest ancestor in the manifest */
export function warning(code: WarningCode, planned: Planned, path: FieldPath, message: string): Warning {
  return { code, message, position: planned.document.source.at(path), object: shortName(planned.ref) };
}
