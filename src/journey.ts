import type { Applied } from './apply/applied.ts';
import type { Connection } from './cluster/connect.ts';
import type { Manifest } from './manifest/document.ts';
import { optionTexts } from './option-texts.ts';
import type { Options } from './options.ts';
import type { Effect } from './preflight/effect.ts';
import type { Warning } from './preflight/warning.ts';
import type { ProgressLog } from './progress-log.ts';
import type { RunFacts } from './report/compose.ts';
import type { ReportStage } from './report/report.ts';
import { createShortfallMeter, type ShortfallMeter } from './rollout/shortfall.ts';
import { VERSION } from './version.ts';

/** What is collected on the way, so that a run which breaks off can say how far it came. */
export interface Journey {
  readonly options: Options;
  readonly startedAt: number;
  readonly stages: ReportStage[];
  readonly applied: Applied[];
  readonly notices: Set<string>;
  readonly shortfall: ShortfallMeter;
  manifest: Manifest | null;
  warnings: readonly Warning[];
  /** What each object of the plan would do to pods, by the key of its reference. */
  effects: ReadonlyMap<string, Effect>;
  connection: Connection | null;
  log: ProgressLog | null;
}

export function startJourney(options: Options): Journey {
  return {
    options,
    startedAt: Date.now(),
    stages: [],
    applied: [],
    notices: new Set(),
    shortfall: createShortfallMeter(),
    manifest: null,
    warnings: [],
    effects: new Map(),
    connection: null,
    log: null,
  };
}

/** Does one stage's work, and notes how long it took, also if it failed. */
export async function stage<T>(name: ReportStage['name'], journey: Journey, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    journey.stages.push({ name, milliseconds: Math.round(performance.now() - began) });
  }
}

/** What the report says of the run, whatever came of it. */
export function factsOf(journey: Journey): RunFacts {
  const stats = journey.connection?.stats();
  const verbs = Object.values(stats?.verbs ?? {});
  return {
    tool: `rollout-gate ${VERSION}`,
    mode: journey.options.mode,
    server: journey.connection?.server ?? '',
    startedAt: journey.startedAt,
    endedAt: Date.now(),
    options: optionTexts(journey.options),
    stages: journey.stages,
    imageChanges: journey.manifest?.imageChanges ?? [],
    applied: journey.applied,
    warnings: journey.warnings,
    effects: journey.effects,
    notices: [...journey.notices],
    timeline: journey.log?.timeline() ?? [],
    requests: {
      count: stats?.requests ?? 0,
      retries: stats?.retries ?? 0,
      bytesReceived: stats?.bytesReceived ?? 0,
      p50Milliseconds: Math.max(0, ...verbs.map((verb) => Math.round(verb.p50))),
      p999Milliseconds: Math.max(0, ...verbs.map((verb) => Math.round(verb.p999))),
    },
  };
}
