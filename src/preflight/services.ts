import type { Container, KubernetesObject, PodSpec } from '../kubernetes.ts';
import type { Planned } from '../plan/planned.ts';
import { fieldAt, podSpecPath } from '../stall/scene.ts';
import { isCreator } from './creators.ts';
import { type Check, isNewNamespace, type PreflightScene } from './scene.ts';
import { type Warning, warning } from './warning.ts';

interface ServiceSpec {
  readonly type?: string;
  readonly selector?: Readonly<Record<string, string>> | null;
  readonly ports?:
    | readonly { readonly name?: string; readonly targetPort?: number | string; readonly protocol?: string }[]
    | null;
}

/** Pods that something in the manifest makes. */
interface Template {
  readonly planned: Planned;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: PodSpec;
}

/**
 * Services that send nothing anywhere: their selector matches no pod template of the manifest and no pod of the cluster, or their
 * targetPort is a name that no container has. Source: staging/endpointslice, and pkg/api/v1/pod, FindPort.
 */
export const services: Check = (scene) =>
  scene.objects.flatMap((planned) => {
    if (planned.ref.kind !== 'Service' || planned.ref.apiVersion !== 'v1') return [];
    const spec = (planned.document.object['spec'] ?? {}) as ServiceSpec;
    const selector = Object.entries(spec.selector ?? {});
    if (selector.length === 0 || spec.type === 'ExternalName') return [];
    const templates = templatesIn(scene, planned.ref.namespace);
    const matching = templates.filter(({ labels }) => selector.every(([key, value]) => labels[key] === value));
    return matching.length > 0 ? unknownPorts(planned, spec, matching) : unmatched(scene, planned, selector, templates);
  });

/** Whatever has a pod template counts, of custom kinds too. */
function templatesIn(scene: PreflightScene, namespace: string): readonly Template[] {
  return scene.objects.flatMap((planned) => {
    const { object } = planned.document;
    if (planned.ref.namespace !== namespace) return [];
    const path = podSpecPath(object.kind);
    const pod = fieldAt(object, path) as PodSpec | undefined;
    if (!Array.isArray(pod?.containers)) return [];
    const labels = fieldAt(object, [...path.slice(0, -1), 'metadata', 'labels']);
    return [{ planned, labels: (labels ?? {}) as Template['labels'], pod }];
  });
}

function unmatched(
  scene: PreflightScene,
  planned: Planned,
  selector: readonly (readonly [string, string])[],
  templates: readonly Template[],
): readonly Warning[] {
  const { namespace } = planned.ref;
  // Only a manifest that brings the pods as well can be expected to match; what a custom resource runs is not known.
  if (
    templates.length === 0 ||
    scene.objects.some((each) => each.ref.namespace === namespace && runsPods(each.document.object))
  )
    return [];
  if (!isNewNamespace(scene, namespace)) {
    const labelSelector = selector.map(([key, value]) => `${key}=${value}`).join(',');
    const pods = scene.look({ kind: 'has-pods', namespace, labelSelector });
    if (pods.state !== 'known' || pods.value) return [];
  }
  const wanted = selector.map(([key, value]) => `${key}=${value}`).join(',');
  const near = nearest(selector, templates);
  const first = near?.differing[0] ?? selector[0]?.[0] ?? '';
  const but =
    near === null
      ? ''
      : ` (nearest is ${near.template.planned.ref.kind}/${near.template.planned.ref.name} with ${near.differing.map((key) => `${key}=${near.template.labels[key] ?? ''}`).join(',')})`;
  return [
    warning(
      'ServiceWithoutEndpoints',
      planned,
      ['spec', 'selector', first],
      `The selector ${wanted} matches the pods of no workload in the manifest, and no pod in namespace ${namespace}${but}: the Service has no endpoints. Correct the selector, or the labels of the pod template.`,
    ),
  ];
}

function runsPods(object: KubernetesObject): boolean {
  return isCreator(object) && !['ExternalSecret', 'Certificate', 'SealedSecret'].includes(object.kind);
}

/** The template that has most of the labels, if it has any. */
function nearest(selector: readonly (readonly [string, string])[], templates: readonly Template[]) {
  const scored = templates.map((template) => ({
    template,
    differing: selector.filter(([key, value]) => template.labels[key] !== value).map(([key]) => key),
  }));
  const best = scored.reduce<(typeof scored)[number] | null>(
    (a, b) => (a === null || b.differing.length < a.differing.length ? b : a),
    null,
  );
  if (best === null) return null;
  return best.differing.some((key) => best.template.labels[key] !== undefined) ||
    best.differing.length < selector.length
    ? best
    : null;
}

function unknownPorts(planned: Planned, spec: ServiceSpec, matching: readonly Template[]): readonly Warning[] {
  return (spec.ports ?? []).flatMap(({ targetPort, protocol = 'TCP' }, index) => {
    if (typeof targetPort !== 'string') return [];
    const ports = matching.flatMap(({ pod }) => running(pod).flatMap((container) => container.ports ?? []));
    const named = ports.filter((port) => port.name === targetPort);
    if (named.some((port) => (port.protocol ?? 'TCP') === protocol)) return [];
    const names = [...new Set(ports.flatMap((port) => port.name ?? []))];
    const has =
      named.length > 0
        ? `only with protocol ${named[0]?.protocol ?? 'TCP'}`
        : names.length === 0
          ? 'they name none'
          : `they have ${names.join(', ')}`;
    const who = matching.map((each) => `${each.planned.ref.kind}/${each.planned.ref.name}`).join(', ');
    return [
      warning(
        'ServiceWithoutEndpoints',
        planned,
        ['spec', 'ports', index, 'targetPort'],
        `No container of ${who} has a port named "${targetPort}" with protocol ${protocol} (${has}): the Service sends nothing there. Name a port of the containers, or give the number.`,
      ),
    ];
  });
}

/** Containers and sidecars. */
function running(pod: PodSpec): readonly Container[] {
  return [...(pod.initContainers ?? []).filter((each) => each.restartPolicy === 'Always'), ...(pod.containers ?? [])];
}
