import type { Applied } from '../apply/applied.ts';
import type { Api } from '../cluster/api.ts';
import { type KubernetesObject, type ObjectRef, refKey, shortName } from '../kubernetes.ts';
import { readLedger } from '../ledger/store.ts';
import { readLive } from '../plan/dry-run.ts';
import { GateError } from '../problem.ts';
import { type Aimed, aim, stateFor, unnamed } from './aim.ts';

/** Where all the objects of a run go back to. */
export interface Aims {
  readonly objects: readonly Aimed[];
  /** The targets in a few words; more than one if namespaces go back to different states. */
  readonly target: string;
  /** The namespaces whose target is proven by nothing but its readiness before this run. */
  readonly unproven: ReadonlySet<string>;
}

/**
 * Asks the ledger of each namespace what is proven, and decides where to go back to.
 *
 * @throws GateError if an object of a proven state cannot be read
 */
export async function takeAim(
  all: readonly Applied[],
  { api, fieldManager, ledger }: { readonly api: Api; readonly fieldManager: string; readonly ledger: string },
): Promise<Aims> {
  const objects: Aimed[] = [];
  const targets = new Set<string>();
  const unproven = new Set<string>();
  for (const [namespace, mine] of Map.groupBy(all, (each) => each.ref.namespace)) {
    const { ledger: known, trouble } =
      namespace === '' ? { ledger: { states: [] }, trouble: '' } : await readLedger({ api, namespace, name: ledger });
    const state = stateFor(mine, known.states);
    const others = state === null ? new Map() : await readAll(unnamed(mine, state), api);
    const aimed = aim(mine, state, others, fieldManager);
    objects.push(...aimed.objects);
    if (namespace === '') continue;
    targets.add(trouble === '' ? aimed.target : `${aimed.target} (the ledger could not help: ${trouble})`);
    if (aimed.unproven) unproven.add(namespace);
  }
  return { objects: inOrder(objects, all), target: [...targets].join('; '), unproven };
}

/** The order of the apply; what this run did not apply comes first. */
function inOrder(objects: readonly Aimed[], all: readonly Applied[]): readonly Aimed[] {
  const place = new Map(all.map((each, index) => [refKey(each.ref), index]));
  return [...objects].sort(
    (a, b) => (place.get(refKey(a.applied.ref)) ?? -1) - (place.get(refKey(b.applied.ref)) ?? -1),
  );
}

async function readAll(refs: readonly ObjectRef[], api: Api): Promise<ReadonlyMap<string, KubernetesObject | null>> {
  const found = new Map<string, KubernetesObject | null>();
  for (const ref of refs) {
    const resource = await api.resource(ref.apiVersion, ref.kind);
    if (resource === null) throw GateError.of(`${shortName(ref)} of the proven state: its kind is no longer served`);
    const answer = await readLive(api, resource, ref);
    if ('failure' in answer)
      throw GateError.of(
        `${shortName(ref)} of the proven state could not be read: ${answer.failure.message ?? answer.status}`,
      );
    found.set(refKey(ref), answer.object);
  }
  return found;
}
