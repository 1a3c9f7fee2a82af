import { timeOf } from '../rollout/time.ts';
import { DEPTH } from './depth.ts';
import { after, NEVER } from './ripeness.ts';
import { containerTitle, type Family, fieldOf } from './scene.ts';

/** Containers that become ready and lose it again. */
export const readinessFlapping: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const lost = container.memory?.readyLost ?? 0;
    const first = scene.view.memory(container.pod.metadata?.uid ?? '')?.firstReady ?? null;
    if (lost < 2 || first === null) return [];
    return [
      {
        code: 'ReadinessFlapping' as const,
        certainty: 'probable' as const,
        scope: 'application' as const,
        container: container.name,
        summary: `The ${containerTitle(container)} became ready and lost it again ${lost} times`,
        evidence: [{ what: 'Ready turned false', value: `${lost} times` }],
        remedy: {
          text: 'Raise readinessProbe.timeoutSeconds or failureThreshold, or find what makes the check fail under load.',
          path: fieldOf(container, 'readinessProbe'),
          value: null,
        },
        falsifier: 'It stays ready for a whole soak.',
        ripeness: after(first, 60, lost, 3),
        depth: DEPTH.readiness,
        pods: [container.podName],
      },
    ];
  });

/** Pods that wait for a condition that some controller must set (core/v1 PodReadinessGate). */
export const readinessGate: Family = (scene) =>
  scene.rollout.pods.flatMap((pod) => {
    const conditions = pod.status?.conditions ?? [];
    if (conditions.find((condition) => condition.type === 'ContainersReady')?.status !== 'True') return [];
    const pending = (pod.spec?.readinessGates ?? []).filter(
      (gate) => conditions.find((condition) => condition.type === gate.conditionType)?.status !== 'True',
    );
    if (pending.length === 0) return [];
    const names = pending.map((gate) => gate.conditionType).join(', ');
    const since =
      timeOf(conditions.find((condition) => condition.type === 'ContainersReady')?.lastTransitionTime) ?? scene.now;
    return [
      {
        code: 'ReadinessGatePending' as const,
        certainty: 'waiting' as const,
        scope: 'cluster' as const,
        container: null,
        summary: `All containers are ready since ${Math.round((scene.now - since) / 1000)} s, but the readiness gate ${names} is not set`,
        evidence: pending.map((gate) => ({
          what: `condition ${gate.conditionType}`,
          value: conditions.find((condition) => condition.type === gate.conditionType)?.message ?? 'missing',
        })),
        remedy: {
          text: `See why the controller that sets ${names} does not (a load balancer's health check, for instance).`,
          path: null,
          value: null,
        },
        falsifier: 'The controller sets the condition.',
        ripeness: NEVER,
        depth: DEPTH.readiness,
        pods: [pod.metadata?.name ?? ''],
      },
    ];
  });
