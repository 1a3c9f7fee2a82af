import { run } from './process.ts';

export const REGISTRY = process.env['ROLLOUT_GATE_TEST_REGISTRY'] ?? 'registry.local';

/** A Deployment of the test application. Its `progressDeadlineSeconds` is 60, so that kubectl ends. */
export function deployment(
  namespace: string,
  name: string,
  parts: { readonly container?: object; readonly spec?: object; readonly pod?: object } = {},
): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      progressDeadlineSeconds: 60,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'app', image: `${REGISTRY}/app:v1`, ...parts.container }],
          ...parts.pod,
        },
      },
      ...parts.spec,
    },
  });
}

/** Becomes ready: two replicas behind a readiness probe. */
export function healthy(namespace: string): string {
  const readinessProbe = { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 };
  return deployment(namespace, 'web', { container: { readinessProbe }, spec: { replicas: 2 } });
}

/** Asks for more than any node has. */
export function tooLarge(namespace: string): string {
  return deployment(namespace, 'web', { container: { resources: { requests: { cpu: '900' } } } });
}

/** A namespace of its own, removed afterwards without waiting. */
export async function inNamespace<T>(body: (namespace: string) => Promise<T>): Promise<T> {
  const namespace = `bench-${Math.random().toString(36).slice(2, 8)}`;
  await run('kubectl', ['create', 'namespace', namespace]);
  try {
    return await body(namespace);
  } finally {
    await run('kubectl', ['delete', 'namespace', namespace, '--wait=false']);
  }
}
