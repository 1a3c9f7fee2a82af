import { FAMILIES } from './families.ts';
import type { Finding, Patience, RawFinding } from './finding.ts';
import { lastResort } from './last-resort.ts';
import { overrideOf } from './override.ts';
import { NEVER } from './ripeness.ts';
import type { Scene } from './scene.ts';

/**
 * Every reason why this workload is not there yet, the primary one first: ripe before unripe, then the deepest in the chain of causes,
 * then the more certain, then what explains more pods, then by name, so that the same scene always gives the same order.
 *
 * @param patience the run's factor on all spans; the workload's own annotations go before it
 */
export function findings(scene: Scene, patience: Patience): readonly Finding[] {
  const override = overrideOf(scene.target.desired);
  const found = merge(FAMILIES.flatMap((family) => family(scene)));
  const all = merge([...found, ...lastResort(scene, found)]);
  return all
    .map((raw) => (override.tolerated.includes(raw.code) ? { ...raw, ripeness: NEVER } : raw))
    .map((raw) => weigh(raw, scene, override.patience ?? patience))
    .sort(byPrecedence);
}

/** Pods that stall for the same reason are one finding: that of the pod which ripens first, for all of them. */
function merge(raw: readonly RawFinding[]): readonly RawFinding[] {
  const merged = new Map<string, RawFinding>();
  for (const finding of raw) {
    const key = `${finding.code}/${finding.container ?? ''}`;
    const other = merged.get(key);
    if (other === undefined) {
      merged.set(key, finding);
      continue;
    }
    const first = compareRipeness(finding, other) < 0 ? finding : other;
    merged.set(key, { ...first, pods: [...new Set([...other.pods, ...finding.pods])].sort() });
  }
  return [...merged.values()];
}

function compareRipeness(a: RawFinding, b: RawFinding): number {
  return expectedAt(a) - expectedAt(b);
}

/** Missing observations weigh more than any span: they may never be made. */
function expectedAt(finding: RawFinding): number {
  const { ripeness } = finding;
  if (ripeness.kind === 'never') return Number.MAX_SAFE_INTEGER;
  const missing = Math.max(0, ripeness.needed - ripeness.count);
  return missing * 1e15 + ripeness.since + ripeness.seconds * 1000;
}

/** Weighs a finding that no family made: that of a clock which ran out. */
export function weighOne(raw: RawFinding, scene: Scene): Finding {
  return weigh(raw, scene, 1);
}

function weigh(raw: RawFinding, scene: Scene, patience: Patience): Finding {
  const ripensAt = ripeTime(raw, patience);
  return {
    ...raw,
    workload: scene.target.ref,
    ripensAt,
    ripe: ripensAt !== null && ripensAt <= scene.now,
    position: raw.remedy.path === null ? null : scene.target.positionOf(raw.remedy.path),
  };
}

/** When time alone makes it ripe; null if it waits for more observations, or for ever. */
function ripeTime(raw: RawFinding, patience: Patience): number | null {
  if (raw.ripeness.kind === 'never' || patience === 'deadline') return null;
  const needed = patience === 0 ? 1 : raw.ripeness.needed;
  if (raw.ripeness.count < needed) return null;
  return raw.ripeness.since + raw.ripeness.seconds * patience * 1000;
}

const CERTAINTY = { certain: 0, probable: 1, waiting: 2 } as const;

function byPrecedence(a: Finding, b: Finding): number {
  return (
    Number(b.ripe) - Number(a.ripe) ||
    b.depth - a.depth ||
    CERTAINTY[a.certainty] - CERTAINTY[b.certainty] ||
    b.pods.length - a.pods.length ||
    a.code.localeCompare(b.code) ||
    (a.container ?? '').localeCompare(b.container ?? '')
  );
}
