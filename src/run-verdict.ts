import type { Decision, Standing } from './verdict.ts';

export type RunVerdict = 'succeeded' | 'stalled' | 'timed-out' | 'rejected' | 'superseded' | 'cancelled' | 'planned';

/** The run's verdict is that of its worst workload; a run that followed nothing has succeeded. */
export function runVerdict(standings: readonly Standing[]): RunVerdict {
  const verdicts = new Set(standings.map((standing) => standing.decision?.verdict ?? 'undecided'));
  const worst = (['stalled', 'timed-out', 'undecided', 'superseded'] as const).find((verdict) => verdicts.has(verdict));
  if (worst === undefined) return 'succeeded';
  return worst === 'undecided' ? 'cancelled' : worst;
}

/** The workload whose decision is the run's: the first failed one in the order of the manifest whose cause is deepest. */
export function decisive(standings: readonly Standing[]): Standing | null {
  const of = (verdict: Decision['verdict']) => standings.filter((standing) => standing.decision?.verdict === verdict);
  const failed = [...of('stalled'), ...of('timed-out')];
  const depth = (standing: Standing) =>
    standing.decision !== null && 'cause' in standing.decision ? standing.decision.cause.depth : 0;
  const deepest = failed.reduce<Standing | null>((best, each) => {
    if (best === null) return each;
    const stalledFirst = Number(each.decision?.verdict === 'stalled') - Number(best.decision?.verdict === 'stalled');
    return stalledFirst > 0 || (stalledFirst === 0 && depth(each) > depth(best)) ? each : best;
  }, null);
  return deepest ?? of('superseded')[0] ?? of('undecided')[0] ?? null;
}
