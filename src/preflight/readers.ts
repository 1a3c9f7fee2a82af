import { type ObjectRef, shortName } from '../kubernetes.ts';
import { type Effect, NO_EFFECT } from './effect.ts';
import { containersOf, type Workload } from './workload.ts';

type Kind = 'ConfigMap' | 'Secret';
/** Environment and `subPath` are read once, when a container starts; other mounted files are renewed. */
type Reading = 'as environment' | 'through subPath' | 'as files';

/**
 * Which pods would not see the new values of a ConfigMap or Secret. Only the workloads of the same manifest are looked at. Source: Kubernetes documentation, "Mounted ConfigMaps are updated automatically".
 */
export function unnoticed(ref: ObjectRef, workloads: readonly Workload[]): Effect {
  const readings = workloads
    .filter((workload) => workload.namespace === ref.namespace && stays(workload))
    .flatMap((workload) => readingsOf(workload, ref.kind as Kind, ref.name).map((how) => ({ workload, how })));
  const text = (of: typeof readings) =>
    [...new Set(of.map(({ workload, how }) => `${shortName(workload.planned.ref)} (${how})`))].join(', ');
  const deaf = readings.filter(({ how }) => how !== 'as files');
  if (deaf.length > 0)
    return {
      does: 'waits',
      text: `is read by ${text(deaf)} at its start only, and this apply restarts none of its pods`,
    };
  return readings.length === 0
    ? NO_EFFECT
    : { does: 'nothing', text: `reaches the pods of ${text(readings)} within a minute or two, without a restart` };
}

/** Its pods go on as they are; those of Jobs and CronJobs end by themselves. */
function stays({ kind, isNewTemplate }: Workload): boolean {
  return !isNewTemplate && kind !== 'Job' && kind !== 'CronJob';
}

function readingsOf(workload: Workload, kind: Kind, name: string): readonly Reading[] {
  return [
    ...(isInEnvironment(workload, kind, name) ? (['as environment'] as const) : []),
    ...mounts(workload, kind, name),
  ];
}

function isInEnvironment(workload: Workload, kind: Kind, name: string): boolean {
  const [key, from] =
    kind === 'ConfigMap' ? (['configMapKeyRef', 'configMapRef'] as const) : (['secretKeyRef', 'secretRef'] as const);
  return containersOf(workload).some(
    ({ container }) =>
      (container.env ?? []).some(({ valueFrom }) => valueFrom?.[key]?.name === name) ||
      (container.envFrom ?? []).some((each) => each[from]?.name === name),
  );
}

function mounts(workload: Workload, kind: Kind, name: string): readonly Reading[] {
  const volumes = (workload.pod.volumes ?? []).filter(({ configMap, secret, projected }) => {
    const names =
      kind === 'ConfigMap'
        ? [configMap?.name, ...(projected?.sources ?? []).map((source) => source.configMap?.name)]
        : [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)];
    return names.includes(name);
  });
  return containersOf(workload).flatMap(({ container }) =>
    (container.volumeMounts ?? [])
      .filter((mount) => volumes.some((volume) => volume.name === mount.name))
      .map((mount): Reading => ((mount.subPath ?? mount.subPathExpr ?? '') === '' ? 'as files' : 'through subPath')),
  );
}
