import {
  type FieldPath,
  type KubernetesObject,
  type ManagedFieldsEntry,
  type Status,
  shortName,
} from '../kubernetes.ts';
import type { ManifestDocument } from '../manifest/document.ts';
import type { Problem } from '../problem.ts';
import { type FieldError, fieldErrors } from './field-errors.ts';
import { parseFieldPath } from './field-path.ts';

/** One field that somebody else owns. */
export interface Conflict {
  /** As the server writes it: `.spec.replicas`. */
  readonly field: string;
  readonly manager: string;
  /** Empty for the object itself: `scale`, `status`. */
  readonly subresource: string;
}

/** The conflicts of a server-side apply; empty if it was refused for another reason. Source: managedfields, NewConflictError. */
export function conflictsOf(status: Status): readonly Conflict[] {
  const causes = status.details?.causes ?? [];
  return causes
    .filter((cause) => cause.reason === 'FieldManagerConflict')
    .map((cause) => ({
      field: cause.field ?? '',
      manager: /conflict with "((?:[^"\\]|\\.)*)"/.exec(cause.message ?? '')?.[1] ?? 'another manager',
      subresource: /with subresource "([^"]*)"/.exec(cause.message ?? '')?.[1] ?? '',
    }));
}

/** A refusal as problems, each on the line of its field. */
export function refusalProblems(
  document: ManifestDocument,
  status: Status,
  live: KubernetesObject | null,
): readonly Problem[] {
  const conflicts = conflictsOf(status);
  if (conflicts.length > 0) return conflicts.map((conflict) => conflictProblem(document, conflict, live));
  const fields = fieldErrors(status, document.object);
  if (fields.length > 0) return fields.map((error) => fieldProblem(document, error));
  const { advice, path } = adviceFor(status, document.object);
  return [problem(document, `${title(document)}: ${messageOf(status)}${advice}`, path)];
}

/** One field that the server does not take, on its line. */
export function fieldProblem(document: ManifestDocument, { field, message, path }: FieldError): Problem {
  return problem(
    document,
    `${title(document)}: ${field === '' ? '' : `${field.replace(/^\./, '')}: `}${message}`,
    path,
  );
}

function title(document: ManifestDocument): string {
  return `${shortName(document.ref)} was refused by the server`;
}

function messageOf(status: Status): string {
  return status.message ?? status.reason ?? `status ${status.code ?? 'unknown'}`;
}

function problem(document: ManifestDocument, message: string, path: FieldPath): Problem {
  return { message, position: document.source.at(path) };
}

interface Advice {
  readonly advice: string;
  readonly path: FieldPath;
}

/** What to do where the server's own words do not say it. */
function adviceFor(status: Status, object: KubernetesObject): Advice {
  const text = messageOf(status);
  if (text.includes('managedFields must be nil'))
    return {
      advice:
        '; remove what the cluster adds by itself (managedFields, resourceVersion, uid, status) from the manifest',
      path: ['metadata', 'managedFields'],
    };
  if (status.code === 409 && object.metadata.resourceVersion !== undefined)
    return {
      advice: '; the manifest asks for one past state of the object: remove its resourceVersion and uid',
      path: ['metadata', 'resourceVersion'],
    };
  if (status.code === 404 && status.details?.kind === 'namespaces')
    return { advice: '; create it first, or add it to the manifest', path: ['metadata', 'namespace'] };
  return { advice: '', path: [] };
}

function conflictProblem(document: ManifestDocument, conflict: Conflict, live: KubernetesObject | null): Problem {
  const { field, manager, subresource } = conflict;
  const entry = ownerEntry(live, conflict);
  const through = subresource === '' ? '' : ` through the subresource ${subresource}`;
  const since = entry?.time === undefined ? '' : `, last at ${entry.time}`;
  const how = entry?.operation === undefined ? '' : ` (${entry.operation}${through}${since})`;
  const message = `${shortName(document.ref)}: ${field.replace(/^\./, '')} is owned by "${manager}"${how}, which gave it another value. Take the field out of the manifest, or set force-conflicts: true to take it over`;
  return problem(document, message, parseFieldPath(field, document.object));
}

function ownerEntry(live: KubernetesObject | null, conflict: Conflict): ManagedFieldsEntry | undefined {
  return live?.metadata.managedFields?.find(
    (entry) => entry.manager === conflict.manager && (entry.subresource ?? '') === conflict.subresource,
  );
}
