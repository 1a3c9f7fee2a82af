import type { FieldPath, Pod, PodSpec } from '../kubernetes.ts';
import type { Evidence } from './finding.ts';
import { fieldAt, podSpecPath, type Scene } from './scene.ts';
import type { SchedulerMessage } from './scheduler-message.ts';

/** The rule of the pod that the scheduler's words point to, and its place in the manifest. */
export function placementRule(
  message: SchedulerMessage,
  scene: Scene,
): { readonly text: string; readonly path: FieldPath | null } {
  const path = podSpecPath(scene.target.ref.kind);
  const spec = fieldAt(scene.target.desired, path) as PodSpec | undefined;
  const text = message.reasons.map((reason) => reason.text).join(', ');
  if (/free ports/.test(text)) {
    return {
      text: `Remove the hostPort, or let old pods leave first.${surgeHint(scene)}`,
      path: [...path, 'containers'],
    };
  }
  if (/anti-affinity/.test(text))
    return { text: `Relax podAntiAffinity, or add nodes.${surgeHint(scene)}`, path: [...path, 'affinity'] };
  if (/topology spread/.test(text))
    return {
      text: 'Relax topologySpreadConstraints, or add nodes in the other zones.',
      path: [...path, 'topologySpreadConstraints'],
    };
  if (/node affinity\/selector|node selector/.test(text)) {
    const field = spec?.nodeSelector !== undefined ? 'nodeSelector' : 'affinity';
    return { text: `Correct ${field}, or label a node accordingly.`, path: [...path, field] };
  }
  if (/taint/.test(text))
    return { text: 'Add a toleration for the taint, or remove it from a node.', path: [...path, 'tolerations'] };
  if (/were unschedulable/.test(text)) return { text: 'Uncordon a node (kubectl uncordon).', path: null };
  return { text: "Change the pod's placement rules, or the nodes, so that one fits.", path };
}

/** Old pods that hold what the new one needs do not leave before the new one is ready if none may be missing. */
export function surgeHint(scene: Scene): string {
  const strategy = (
    scene.target.desired['spec'] as
      | { strategy?: { type?: string; rollingUpdate?: { maxUnavailable?: number | string } } }
      | undefined
  )?.strategy;
  if (scene.target.ref.kind !== 'Deployment' || scene.rollout.otherPods.length === 0 || strategy?.type === 'Recreate')
    return '';
  return ' Old pods hold their place until new ones are ready: strategy.rollingUpdate.maxSurge 0 with maxUnavailable 1, or Recreate, lets an old one go first.';
}

/** Labels that the pod's nodeSelector asks for and that no node has. */
export function unmatchedLabels(pod: Pod, scene: Scene): readonly Evidence[] {
  const nodes = scene.look({ kind: 'nodes' });
  if (nodes.state !== 'known') return [];
  return Object.entries(pod.spec?.nodeSelector ?? {})
    .filter(([key, value]) => !nodes.value.some((node) => node.metadata?.labels?.[key] === value))
    .map(([key, value]) => {
      const others = [
        ...new Set(nodes.value.map((node) => node.metadata?.labels?.[key]).filter((each) => each !== undefined)),
      ];
      return {
        what: `nodeSelector ${key}=${value}`,
        value: others.length === 0 ? 'no node has this label' : `nodes have ${others.slice(0, 5).join(', ')}`,
      };
    });
}
