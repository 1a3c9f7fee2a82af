import assert from 'node:assert/strict';
import type { Applied } from '../../src/apply/applied.ts';
import { apply } from '../../src/apply/apply.ts';
import type { ApiRequest } from '../../src/cluster/api.ts';
import { plan } from '../../src/plan/plan.ts';
import { GateError, type Problem } from '../../src/problem.ts';
import { type FakeServer, isChange, manifest, type Refusal } from '../plan/server.ts';

export const OPTIONS = { namespace: 'shop', fieldManager: 'rollout-gate', forceConflicts: false };

export interface Run {
  readonly applied: readonly Applied[];
  readonly told: readonly Applied[];
}

export async function run(server: FakeServer, ...texts: readonly string[]): Promise<Run> {
  const told: Applied[] = [];
  const planned = await plan(manifest(texts.join('---\n')), server.api, OPTIONS);
  const applied = await apply(planned, server.api, OPTIONS, (each) => told.push(each));
  return { applied, told };
}

export async function problemsOf(running: Promise<Run>): Promise<readonly Problem[]> {
  const error: unknown = await running.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof GateError, `${error instanceof Error ? error.stack : 'nothing was refused'}`);
  return error.problems;
}

/** What was changed, in order: the last two parts of the paths. */
export function changed(server: FakeServer): readonly string[] {
  return server.requests.filter(isChange).map((request) => request.path.split('/').slice(-2).join('/'));
}

export function configMap(name: string, namespace = 'shop', value = 'x'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {a: "${value}"}\n`;
}

export function refusing(test: (request: ApiRequest) => boolean, refusal: Refusal | Error) {
  return { refuse: (request: ApiRequest) => (test(request) ? refusal : null) };
}

export const isApply = (path: RegExp) => (request: ApiRequest) => isChange(request) && path.test(request.path);
