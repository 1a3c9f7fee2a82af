import { REGISTRY } from '../live/cluster.ts';
import type { Case, Step } from './case.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Shape {
  readonly name?: string;
  readonly kind?: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly replicas?: number;
  readonly container?: Fields;
  readonly containers?: readonly Fields[];
  readonly init?: readonly Fields[];
  readonly pod?: Fields;
  readonly spec?: Fields;
  readonly labels?: Fields;
}

export const image = (tag: string) => `${REGISTRY}/${tag}`;

/** The test application as a container; see docs/testing.md for what its environment does. */
export function container(fields: Fields = {}): Fields {
  return { name: 'app', image: image('app:v1'), readinessProbe: probe(), ...fields };
}

export function probe(fields: Fields = {}): Fields {
  return { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1, ...fields };
}

export function env(values: Readonly<Record<string, string>>): Fields {
  return { env: Object.entries(values).map(([name, value]) => ({ name, value })) };
}

/** A container that runs a script of busybox, without probes. */
export function script(text: string, fields: Fields = {}): Fields {
  return { name: 'app', image: image('busybox:1'), command: ['sh', '-c', text], ...fields };
}

export function workload(shape: Shape = {}): string {
  const { name = 'web', kind = 'Deployment', replicas = 1 } = shape;
  const labels = { app: name, ...shape.labels };
  const scaled = kind === 'DaemonSet' ? {} : { replicas };
  const service = kind === 'StatefulSet' ? { serviceName: name } : {};
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'NS' },
    spec: {
      ...scaled,
      ...service,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          ...(shape.init === undefined ? {} : { initContainers: shape.init }),
          containers: shape.containers ?? [container(shape.container)],
          ...shape.pod,
        },
      },
      ...shape.spec,
    },
  });
}

export function job(fields: Fields, containerFields: Fields): string {
  return JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work', namespace: 'NS' },
    spec: {
      ...fields,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: image('busybox:1'), ...containerFields }] },
      },
    },
  });
}

export function object(apiVersion: string, kind: string, name: string, fields: Fields, namespaced = true): string {
  return JSON.stringify({
    apiVersion,
    kind,
    metadata: { name, ...(namespaced ? { namespace: 'NS' } : {}) },
    ...fields,
  });
}

export function run(...args: readonly string[]): Step {
  return { kubectl: [...args, '-n', 'NS'] };
}

export function create(text: string): Step {
  return { kubectl: ['apply', '-f', '-'], input: text };
}

/** A resource of the node that only this case uses, so that cases side by side do not take it from each other. */
export function slots(name: string, count: number): Pick<Case, 'setup' | 'cleanup'> & { readonly resource: string } {
  const resource = `rollout-gate.test/${name}`;
  const pointer = `/status/capacity/${resource.replace('/', '~1')}`;
  const patch = (op: object): Step => ({
    kubectl: ['patch', 'node', 'NODE', '--subresource=status', '--type=json', '-p', JSON.stringify([op])],
  });
  return {
    resource,
    setup: [patch({ op: 'add', path: pointer, value: String(count) })],
    cleanup: [patch({ op: 'remove', path: pointer })],
  };
}

export function takes(resource: string, count = 1): Fields {
  return { resources: { requests: { [resource]: count }, limits: { [resource]: count } } };
}

/** Room for a file that outlives a restart of the container. */
export const STATE = {
  pod: { volumes: [{ name: 'state', emptyDir: {} }] },
  mount: { volumeMounts: [{ name: 'state', mountPath: '/state' }] },
} as const;

/** A script that does `first` at its first `count` starts, and `then` after them. */
export function firstly(count: number, first: string, then: string): string {
  return `n=$(cat /state/n 2>/dev/null || echo 0); echo $((n+1)) > /state/n; if [ $n -lt ${count} ]; then ${first}; fi; ${then}`;
}
