import { formatQuantity, parseQuantity, podRequest } from '../quantity.ts';
import { DEPTH } from './depth.ts';
import { failedCreate } from './failed-create.ts';
import type { RawFinding } from './finding.ts';
import { after, NEVER } from './ripeness.ts';
import { type Family, podSpecPath, type Scene } from './scene.ts';

/** One resource of a quota that a new pod would exceed. */
interface Excess {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly hard: number;
}

/** Pods that a ResourceQuota does not let be created. Source of the wording: plugin/pkg/admission/resourcequota. */
export const quota: Family = (scene) => {
  const failed = failedCreate(scene);
  if (failed === null) return [];
  const unset = /failed quota: ([\w.-]+): (must specify .*)$/.exec(failed.message);
  if (unset !== null) return [mustSpecify(unset[1] ?? '', unset[2] ?? '', failed, scene)];
  const exceeded = /exceeded quota: ([\w.-]+), requested: (.*), used: (.*), limited: (.*)$/.exec(failed.message);
  if (exceeded === null) return [];
  const excess = parseExcess(exceeded[2] ?? '', exceeded[3] ?? '', exceeded[4] ?? '');
  return [tooMuch(exceeded[1] ?? '', excess, failed, scene)];
};

type Failed = NonNullable<ReturnType<typeof failedCreate>>;

function mustSpecify(name: string, what: string, failed: Failed, scene: Scene): RawFinding {
  return {
    ...base(failed),
    certainty: 'certain',
    summary: `ResourceQuota "${name}" lets no pod be created that does not say what it needs: ${what}`,
    remedy: {
      text: `Set the resources that the quota names (${what}).`,
      path: [...podSpecPath(scene.target.ref.kind), 'containers'],
      value: null,
    },
    falsifier: 'A LimitRange with defaults is created, or the quota is removed.',
    ripeness: after(failed.since, 0, failed.count, 2),
  };
}

function tooMuch(name: string, excess: readonly Excess[], failed: Failed, scene: Scene): RawFinding {
  const counts = scene.rollout.progress.counts;
  const verdicts = excess.map((each) => fits(each, scene));
  // What another workload of this run uses for its own surge, it gives back.
  const impossible = verdicts.includes(false) && scene.othersComingUp.length === 0;
  const numbers = excess.map((each) => numbersOf(each)).join('; ');
  const missing = (scene.rollout.creator?.wanted ?? 0) - (scene.rollout.creator?.created ?? 0);
  return {
    ...base(failed),
    certainty: impossible ? 'certain' : 'waiting',
    summary: impossible
      ? `ResourceQuota "${name}" has no room for the ${counts.desired} replicas asked for, even with the old pods gone: ${numbers}`
      : `ResourceQuota "${name}" has no room for ${missing} more ${missing === 1 ? 'pod' : 'pods'} (surge included): ${numbers}`,
    remedy: {
      text: impossible
        ? `Raise the quota "${name}", lower what a pod requests, or ask for fewer replicas; more replicas cannot help.`
        : `Old pods must leave first: strategy.rollingUpdate.maxSurge 0 with maxUnavailable 1 needs no room beyond the quota "${name}".`,
      path: impossible ? ['spec', 'replicas'] : ['spec', 'strategy'],
      value: null,
    },
    falsifier: 'The quota is raised, or pods that use it leave.',
    ripeness: impossible ? after(failed.since, 2, failed.count, 2) : NEVER,
  };
}

/**
 * Whether all replicas could be there at the same time if this workload's old pods were gone; null if that cannot be computed. What the refusal
 * says is used may be long gone when it is read: what others hold is counted from their pods, and as nothing where these may not be read.
 */
function fits(excess: Excess, scene: Scene): boolean | null {
  const resource = excess.resource.replace(/^requests\./, '');
  if (resource.startsWith('limits.') || resource.startsWith('count/')) return null;
  return heldByOthers(resource, scene) + scene.rollout.progress.counts.desired * excess.requested <= excess.hard;
}

function heldByOthers(resource: string, scene: Scene): number {
  const found = scene.look({ kind: 'scheduled-pods' });
  if (found.state !== 'known') return 0;
  const { namespace } = scene.target.ref;
  const uid = scene.target.desired.metadata.uid;
  const sets = scene.view
    .replicaSets(namespace)
    .filter((set) => set.metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true);
  const owners = new Set([uid, ...sets.map((set) => set.metadata?.uid)]);
  return found.value
    .filter((pod) => pod.metadata?.namespace === namespace)
    .filter((pod) => pod.metadata?.ownerReferences?.some((owner) => owners.has(owner.uid)) !== true)
    .reduce((sum, pod) => sum + podRequest(pod, resource), 0);
}

function numbersOf(excess: Excess): string {
  const show = (value: number) => formatQuantity(excess.resource, value);
  return `${excess.resource}: one more pod needs ${show(excess.requested)}, ${show(excess.used)} of ${show(excess.hard)} are used`;
}

function parseExcess(requested: string, used: string, hard: string): readonly Excess[] {
  const [uses, limits] = [parseList(used), parseList(hard)];
  return [...parseList(requested)].map(([resource, value]) => ({
    resource,
    requested: value,
    used: uses.get(resource) ?? 0,
    hard: limits.get(resource) ?? 0,
  }));
}

function parseList(text: string): ReadonlyMap<string, number> {
  const pairs = text.split(',').map((part) => part.trim().split('='));
  return new Map(pairs.map(([name, value]) => [name ?? '', parseQuantity(value)]));
}

function base(failed: Failed) {
  return {
    code: 'QuotaExceeded' as const,
    scope: 'cluster' as const,
    container: null,
    evidence: [{ what: `pods refused, ${failed.count} times`, value: failed.message }],
    depth: DEPTH.creation,
    pods: [],
  };
}
