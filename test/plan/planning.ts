import assert from 'node:assert/strict';
import { plan } from '../../src/plan/plan.ts';
import type { Plan } from '../../src/plan/planned.ts';
import { GateError, type Problem } from '../../src/problem.ts';
import { type FakeServer, manifest } from './server.ts';

export const OPTIONS = { namespace: 'shop', fieldManager: 'rollout-gate', forceConflicts: false };

export function planned(server: FakeServer, text: string, options: Partial<typeof OPTIONS> = {}): Promise<Plan> {
  return plan(manifest(text), server.api, { ...OPTIONS, ...options });
}

export async function problemsOf(planning: Promise<Plan>): Promise<readonly Problem[]> {
  const error = await planning.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GateError, `${error ?? 'nothing was refused'}`);
  return error.problems;
}

export function short(plan: Plan): readonly string[] {
  return plan.objects.map(({ ref, action, deferred }) =>
    `${ref.kind} ${ref.namespace}/${ref.name} ${action} ${deferred}`.trim(),
  );
}

export function configMap(name: string, namespace = '', data = '{}'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${namespace && `, namespace: ${namespace}`}}\ndata: ${data}\n`;
}
