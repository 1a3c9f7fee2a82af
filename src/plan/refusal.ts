import {
  type FieldPath,
  type KubernetesObject,
  type ManagedFieldsEntry,
  type Status,
  shortName,
} from '../kubernetes.ts';
import type { ManifestDocument } from '../manifest/document.ts';
import type { Problem } from '../problem.ts';
import { parseFieldPath } from './field-path.ts';

/** One field that somebody else owns. */
export interface Conflict {
  /** As the server writes it: `.spec.replicas`. */
  readonly field: string;
  readonly manager: string;
}

/** The conflicts of a server-side apply; empty if it was refused for another reason. Source: managedfields, NewConflictError. */
export function conflictsOf(status: Status): readonly Conflict[] {
  const causes = status.details?.causes ?? [];
  return causes
    .filter((cause) => cause.reason === 'FieldManagerConflict')
    .map((cause) => ({
      field: cause.field ?? '',
      manager: /conflict with "((?:[^"\\]|\\.)*)"/.exec(cause.message ?? '')?.[1] ?? 'another manager',
    }));
}

/** A refusal as problems, each on the line of its field. */
export function refusalProblems(
  document: ManifestDocument,
  status: Status,
  live: KubernetesObject | null,
): readonly Problem[] {
  const conflicts = conflictsOf(status);
  if (conflicts.length > 0) return conflictProblems(document, conflicts, live);
  const title = `${shortName(document.ref)} was refused by the server`;
  const fields = fieldsIn(status);
  if (fields.length === 0) return [problem(document, `${title}: ${messageOf(status)}`, [])];
  return fields.map(({ field, message }) =>
    problem(
      document,
      `${title}: ${field === '' ? '' : `${field}: `}${message}`,
      parseFieldPath(field, document.object),
    ),
  );
}

function messageOf(status: Status): string {
  return status.message ?? status.reason ?? `status ${status.code ?? 'unknown'}`;
}

function problem(document: ManifestDocument, message: string, path: FieldPath): Problem {
  return { message, position: document.source.at(path) };
}

interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Validation names its fields in the causes; the reader of server-side apply only in its text. */
function fieldsIn(status: Status): readonly FieldError[] {
  const causes = status.details?.causes ?? [];
  const named = causes.filter((cause) => cause.field !== undefined && cause.field !== '<nil>' && cause.field !== '');
  if (named.length > 0)
    return named.map((cause) => ({ field: cause.field ?? '', message: cause.message ?? cause.reason ?? '' }));
  const text = messageOf(status);
  const typed = /failed to create (?:manager for existing fields|typed patch object) \([^)]*\): (.*)$/s.exec(text)?.[1];
  if (typed !== undefined) return typedErrors(typed);
  const strict = [...text.matchAll(/unknown field "([^"]+)"/g)].map((match) => ({
    field: match[1] ?? '',
    message: 'the server knows no such field',
  }));
  return strict;
}

function typedErrors(text: string): readonly FieldError[] {
  const lines = text
    .replace(/^errors:\s*/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.map((line) => {
    const match = /^(\.[^\s:]*(?:\[[^\]]*\][^\s:]*)*): (.*)$/.exec(line);
    if (match === null) return { field: '', message: line };
    const unknown = match[2] === 'field not declared in schema';
    return {
      field: match[1] ?? '',
      message: unknown ? 'the server knows no such field; is it misspelt, or indented wrongly?' : (match[2] ?? ''),
    };
  });
}

function conflictProblems(
  document: ManifestDocument,
  conflicts: readonly Conflict[],
  live: KubernetesObject | null,
): readonly Problem[] {
  return conflicts.map(({ field, manager }) => {
    const entry = ownerEntry(live, manager);
    const since = entry?.time === undefined ? '' : `, last at ${entry.time}`;
    const how = entry?.operation === undefined ? '' : ` (${entry.operation}${since})`;
    const message = `${shortName(document.ref)}: ${field} is owned by "${manager}"${how}. Take the field out of the manifest, or set force-conflicts: true to take it over`;
    return problem(document, message, parseFieldPath(field, document.object));
  });
}

function ownerEntry(live: KubernetesObject | null, manager: string): ManagedFieldsEntry | undefined {
  return live?.metadata.managedFields?.find((entry) => entry.manager === manager);
}
