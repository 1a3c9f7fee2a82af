import type { KubernetesObject } from '../kubernetes.ts';
import { type Patience, STALL_CODES, type StallCode } from './finding.ts';

/** Annotations by which a workload sets its own terms. */
export const PATIENCE_ANNOTATION = 'rollout-gate/patience';
export const TOLERATE_ANNOTATION = 'rollout-gate/tolerate';

/** What a workload's own annotations change of the terms; each null or empty where they say nothing. */
export interface Override {
  readonly patience: Patience | null;
  /** Codes that never end the wait for this workload; they are named if its deadline passes. */
  readonly tolerated: readonly StallCode[];
}

/** Reads the annotations; what is malformed is left out here, and refused beforehand by `overrideProblems`. */
export function overrideOf(object: KubernetesObject): Override {
  const annotations = object.metadata.annotations ?? {};
  return {
    patience: parsePatience(annotations[PATIENCE_ANNOTATION] ?? ''),
    tolerated: codesIn(annotations[TOLERATE_ANNOTATION] ?? '').filter(isCode),
  };
}

/** What is wrong with the annotations of an object, each with the annotation's name. */
export function overrideProblems(
  object: KubernetesObject,
): readonly { readonly annotation: string; readonly message: string }[] {
  const annotations = object.metadata.annotations ?? {};
  const problems: { readonly annotation: string; readonly message: string }[] = [];
  const patience = annotations[PATIENCE_ANNOTATION];
  if (patience !== undefined && parsePatience(patience) === null) {
    problems.push({
      annotation: PATIENCE_ANNOTATION,
      message: `"${patience}" is no patience; use a factor from 0 to 1000, or deadline`,
    });
  }
  const unknown = codesIn(annotations[TOLERATE_ANNOTATION] ?? '').filter((code) => !isCode(code));
  if (unknown.length > 0) {
    problems.push({
      annotation: TOLERATE_ANNOTATION,
      message: `${unknown.join(', ')}: no such code; use codes of docs/stalls.md, separated by commas`,
    });
  }
  return problems;
}

/** A factor from 0 to 1000, or `deadline`; null for anything else. */
export function parsePatience(text: string): Patience | null {
  if (text === 'deadline') return 'deadline';
  return /^\d+(\.\d+)?$/.test(text) && Number(text) <= 1000 ? Number(text) : null;
}

function codesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code !== '');
}

function isCode(code: string): code is StallCode {
  return STALL_CODES.some((each) => each === code);
}
