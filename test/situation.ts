import type { KubernetesObject, ObjectRef } from '../src/kubernetes.ts';
import { createStore } from '../src/rollout/store.ts';
import type { Target } from '../src/rollout/target.ts';
import type { Known, Lookup } from '../src/rollout/view.ts';
import { type Judgement, judge, type Terms } from '../src/verdict.ts';

/** Midday of some day: every test counts its seconds from here. */
export const NOON = Date.parse('2026-01-02T12:00:00Z');

/** The RFC 3339 time so many seconds after noon. */
export function at(seconds: number): string {
  return new Date(NOON + seconds * 1000).toISOString().replace('.000', '');
}

type Fields = Readonly<Record<string, unknown>>;

/** A Deployment with its ReplicaSet, as they stand right after the apply, at noon. */
export function deployment(
  overrides: {
    readonly replicas?: number;
    readonly template?: Fields;
    readonly spec?: Fields;
    readonly status?: Fields;
  } = {},
): KubernetesObject {
  const replicas = overrides.replicas ?? 1;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'deployment-1', generation: 1 },
    spec: { replicas, progressDeadlineSeconds: 600, template: overrides.template ?? template(), ...overrides.spec },
    status: { observedGeneration: 1, replicas, updatedReplicas: replicas, ...overrides.status },
  };
}

export function template(container: Fields = {}): Fields {
  return {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:v1', ...container }] },
  };
}

export function replicaSet(owner: KubernetesObject, status: Fields = {}): KubernetesObject {
  const spec = owner['spec'] as { replicas: number; template: Fields };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      uid: 'set-1',
      creationTimestamp: at(0),
      ownerReferences: [owned('Deployment', 'web', 'deployment-1')],
    },
    spec: { replicas: spec.replicas, template: spec.template },
    status: { replicas: spec.replicas, readyReplicas: 0, availableReplicas: 0, ...status },
  };
}

function owned(kind: string, name: string, uid: string) {
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true };
}

/** A pod of the ReplicaSet above. */
export function pod(
  name: string,
  overrides: { readonly spec?: Fields; readonly status?: Fields; readonly metadata?: Fields } = {},
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      creationTimestamp: at(0),
      labels: { app: 'web' },
      ownerReferences: [owned('ReplicaSet', 'web-1', 'set-1')],
      ...overrides.metadata,
    },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:v1' }], ...overrides.spec },
    status: { phase: 'Pending', ...overrides.status },
  };
}

/** The status of a pod whose only container waits. */
export function waiting(reason: string, message = '', restartCount = 0): Fields {
  return {
    phase: 'Pending',
    containerStatuses: [
      { name: 'app', ready: false, started: false, restartCount, state: { waiting: { reason, message } } },
    ],
  };
}

/** The status of a pod whose only container has ended, for the `restartCount + 1`-th time. */
export function ended(exitCode: number, seconds: number, restartCount: number, reason = 'Error'): Fields {
  const terminated = { exitCode, reason, startedAt: at(seconds - 1), finishedAt: at(seconds) };
  return {
    phase: 'Running',
    containerStatuses: [{ name: 'app', ready: false, started: false, restartCount, state: { terminated } }],
  };
}

/** The status of a pod whose only container runs. */
export function running(ready: boolean, seconds: number, restartCount = 0): Fields {
  return {
    phase: 'Running',
    podIP: '10.0.0.1',
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: at(seconds) }],
    containerStatuses: [
      { name: 'app', ready, started: true, restartCount, state: { running: { startedAt: at(seconds) } } },
    ],
  };
}

export function event(
  involved: KubernetesObject,
  reason: string,
  message: string,
  seconds: number,
  count = 1,
  container = 'app',
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${involved.metadata.name}.${reason}.${seconds}`,
      namespace: 'shop',
      uid: `event-${reason}-${seconds}`,
    },
    involvedObject: {
      kind: involved.kind,
      name: involved.metadata.name,
      uid: involved.metadata.uid,
      fieldPath: `spec.containers{${container}}`,
    },
    reason,
    message,
    type: 'Warning',
    count,
    firstTimestamp: at(seconds),
    lastTimestamp: at(seconds),
  } as unknown as KubernetesObject;
}

export function targetOf(desired: KubernetesObject, overrides: Partial<Target> = {}): Target {
  const ref: ObjectRef = {
    apiVersion: desired.apiVersion,
    kind: desired.kind,
    namespace: 'shop',
    name: desired.metadata.name ?? '',
  };
  return {
    ref,
    desired,
    before: null,
    action: 'created',
    changes: null,
    since: NOON,
    fieldManager: 'rollout-gate',
    positionOf: () => ({ file: 'web.yaml', line: 1, column: 1 }),
    ...overrides,
  };
}

/** A moment of a story: what the watches delivered so many seconds after noon. */
export interface Moment {
  readonly seconds: number;
  readonly objects: readonly KubernetesObject[];
  readonly deleted?: readonly KubernetesObject[];
}

/** What reads would answer, by their kind; all others are forbidden. */
export type Answers = Partial<Readonly<Record<Lookup['kind'], unknown>>>;

export interface Story {
  readonly targets: readonly Target[];
  readonly moments: readonly Moment[];
  readonly answers?: Answers;
  readonly terms?: Partial<Terms>;
}

/** Judges a story moment by moment, answering every read at once, and returns the last judgement. */
export function tell(story: Story): Judgement {
  const store = createStore();
  const terms: Terms = {
    patience: 1,
    stableForMs: 10_000,
    timeoutMs: null,
    startedAt: NOON,
    applied: [],
    ...story.terms,
  };
  let judgement: Judgement | null = null;
  for (const moment of story.moments) {
    const now = NOON + moment.seconds * 1000;
    for (const object of moment.objects) store.take({ type: 'MODIFIED', object }, now);
    for (const object of moment.deleted ?? []) store.take({ type: 'DELETED', object }, now);
    for (const lookup of judge(story.targets, judgement, store.view, terms, now).wanted)
      store.learn(lookup, answer(lookup, story.answers, now));
    judgement = judge(story.targets, judgement, store.view, terms, now);
  }
  if (judgement === null) throw new Error('a story needs a moment');
  return judgement;
}

function answer(lookup: Lookup, answers: Answers | undefined, now: number): Known<unknown> {
  const value = answers?.[lookup.kind];
  return value === undefined
    ? { state: 'forbidden', right: `read ${lookup.kind}`, at: now }
    : { state: 'known', value, at: now };
}
