import { groupOf, type KubernetesObject, type ObjectRef } from '../kubernetes.ts';
import type { PreflightScene } from './scene.ts';
import { containersOf, workloadsOf } from './workload.ts';

/** Custom resources that are common beside a workload and create nothing that its pods could need. */
const CREATE_NOTHING: ReadonlySet<string> = new Set(['monitoring.coreos.com', 'networking.istio.io', 'traefik.io']);

/**
 * Whether something of the same manifest may create the object: a custom resource or an annotation that names it (ExternalSecret,
 * Certificate, SealedSecret, a serving certificate), a custom resource whose name it begins with (the Secrets of a database operator), or
 * a program that is given its name (a Job that makes a certificate).
 */
export function mayBeCreated(scene: PreflightScene, { kind, name }: ObjectRef): boolean {
  return (
    scene.objects.some(({ document }) => {
      const { object } = document;
      if (Object.values(object.metadata.annotations ?? {}).includes(name)) return true;
      if (!isCreator(object)) return false;
      if (kind === 'Secret' && name.startsWith(`${object.metadata.name ?? ''}-`)) return true;
      return JSON.stringify(object).includes(JSON.stringify(name));
    }) || isArgument(scene, name)
  );
}

/** A custom resource that is not known to create nothing. */
export function isCreator(object: KubernetesObject): boolean {
  const group = groupOf(object.apiVersion);
  return group.includes('.') && !group.endsWith('.k8s.io') && !CREATE_NOTHING.has(group);
}

/** `--secret-name=web-tls`, or the name as a word, a value of its own, or in a line of a script. */
function isArgument(scene: PreflightScene, name: string): boolean {
  const word = new RegExp(`(^|[^\\w.-])${name.replaceAll('.', '\\.')}($|[^\\w.-])`);
  return workloadsOf(scene).some((workload) =>
    containersOf(workload).some(({ container }) =>
      [
        ...(container.command ?? []),
        ...(container.args ?? []),
        ...(container.env ?? []).map(({ value }) => value ?? ''),
      ].some((text) => word.test(text)),
    ),
  );
}
