import type { KubernetesObject } from '../../src/kubernetes.ts';

/** Whether an object is picked by both selectors, as the API server reads them. Field selectors know metadata.name and metadata.namespace. */
export function isPicked(object: KubernetesObject, labelSelector: string, fieldSelector: string): boolean {
  const labels = object.metadata.labels ?? {};
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': object.metadata.name ?? '',
    'metadata.namespace': object.metadata.namespace ?? '',
  };
  return (
    requirements(labelSelector).every((one) => holds(one, labels)) &&
    requirements(fieldSelector).every((one) => holds(one, fields))
  );
}

function requirements(selector: string): string[] {
  return (selector.match(/(?:[^,(]|\([^)]*\))+/g) ?? []).map((one) => one.trim());
}

function holds(requirement: string, values: Readonly<Record<string, string>>): boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(requirement);
  if (set?.[1] !== undefined) {
    const listed = (set[3] ?? '').split(',').map((value) => value.trim());
    const value = values[set[1]];
    const isIn = value !== undefined && listed.includes(value);
    return set[2] === 'in' ? isIn : !isIn;
  }
  const equal = /^([^=!]+)(==?|!=)(.*)$/.exec(requirement);
  if (equal?.[1] !== undefined) {
    const same = values[equal[1].trim()] === (equal[3] ?? '').trim();
    return equal[2] === '!=' ? !same : same;
  }
  return requirement.startsWith('!') ? values[requirement.slice(1)] === undefined : values[requirement] !== undefined;
}
