import type { Read } from './inspect.ts';
import { inTurns } from './plan/in-turns.ts';
import type { Planned } from './plan/planned.ts';
import { preflight } from './preflight/preflight.ts';
import type { Warning } from './preflight/warning.ts';
import type { Look } from './rollout/rollout.ts';
import { lookupKey } from './rollout/store.ts';
import type { Known, Lookup } from './rollout/view.ts';

/** What a first round of reads showed may ask for another: a claim leads to its volume. */
const ROUNDS = 3;
/** A manifest that refers to more than this many objects outside of it is checked for the first of them. */
const MOST_READS = 500;

/** Looks at the plan before the apply. Changes nothing, and never rejects: what could not be read is no warning. */
export async function lookAhead(objects: readonly Planned[], read: Read): Promise<readonly Warning[]> {
  const answers = new Map<string, Known<unknown>>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const missing = new Map<string, Lookup>();
    const look = ((lookup: Lookup) => {
      const known = answers.get(lookupKey(lookup));
      if (known === undefined) missing.set(lookupKey(lookup), lookup);
      return known ?? { state: 'unread' };
    }) as Look;
    const warnings = preflight({ objects, look });
    const wanted = [...missing].slice(0, MOST_READS - answers.size);
    if (wanted.length === 0) return warnings;
    await inTurns(wanted, async ([key, lookup]) => answers.set(key, await read(lookup)));
  }
  const look = ((lookup: Lookup) => answers.get(lookupKey(lookup)) ?? { state: 'unread' }) as Look;
  return preflight({ objects, look });
}
