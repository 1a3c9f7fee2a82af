import type { Container, Pod } from './kubernetes.ts';

const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['Pi', 2 ** 50],
  ['Ei', 2 ** 60],
]);

/** A quantity of the API as a number: cores, bytes, or a count. NaN for what is none. Source: apimachinery's resource.Quantity. */
export function parseQuantity(quantity: string | number | undefined): number {
  if (quantity === undefined) return 0;
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(String(quantity).trim());
  const factor = SUFFIXES.get(match?.[2] ?? '');
  return match === null || factor === undefined ? Number.NaN : Number(match[1]) * factor;
}

/** A number as people write it for that resource: `450m`, `1.5`, `512Mi`. */
export function formatQuantity(resource: string, value: number): string {
  if (resource.includes('cpu'))
    return value !== 0 && value < 10 && !Number.isInteger(value) ? `${Math.round(value * 1000)}m` : `${round(value)}`;
  if (!/memory|storage|hugepages/.test(resource)) return `${round(value)}`;
  const unit = (['Ti', 'Gi', 'Mi', 'Ki'] as const).find((suffix) => Math.abs(value) >= (SUFFIXES.get(suffix) ?? 1));
  return unit === undefined ? `${round(value)}` : `${round(value / (SUFFIXES.get(unit) ?? 1))}${unit}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * What the scheduler reserves for a pod: the sum over containers and sidecars, or the most that one init container needs beside the
 * sidecars before it, whichever is larger, plus overhead. Source: k8s.io/component-helpers PodRequests, KEP-753.
 */
export function podRequest(pod: Pod, resource: string): number {
  if (resource === 'pods') return 1;
  const of = (container: Container): number =>
    parseQuantity(container.resources?.requests?.[resource] ?? container.resources?.limits?.[resource]);
  let sidecars = 0;
  let initPeak = 0;
  for (const container of pod.spec?.initContainers ?? []) {
    if (container.restartPolicy === 'Always') sidecars += of(container);
    initPeak = Math.max(initPeak, sidecars + (container.restartPolicy === 'Always' ? 0 : of(container)));
  }
  const apps = (pod.spec?.containers ?? []).reduce((sum, container) => sum + of(container), 0);
  return Math.max(apps + sidecars, initPeak) + parseQuantity(pod.spec?.overhead?.[resource]);
}
