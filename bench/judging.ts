import type { Recording, RecordingLine } from '../src/cluster/recording.ts';
import { createStore, type Store } from '../src/rollout/store.ts';
import type { Target } from '../src/rollout/target.ts';
import { type Judgement, judge, type Terms } from '../src/verdict.ts';
import { recordedCases } from '../test/corpus/recordings.ts';
import { judgeLargeView } from './large-view.ts';
import { median, quantile, type Row } from './table.ts';

/** What a change costs from being fed into the store to the judgement, over all recordings of real clusters. */
export function judging(): readonly Row[] {
  const all: number[] = [];
  const deciding: number[] = [];
  for (const { recording } of recordedCases()) {
    for (const { milliseconds, done } of costsOf(recording)) {
      all.push(milliseconds);
      if (done) deciding.push(milliseconds);
    }
  }
  const { pods, milliseconds } = judgeLargeView(100, 20);
  return [
    {
      measure: `change fed into the store → judgement, ${all.length} changes of the corpus`,
      gate: `p50 ${median(all).toFixed(2)} ms, p99.9 ${quantile(all, 0.999).toFixed(1)} ms`,
    },
    {
      measure: `the same, the ${deciding.length} changes that decided`,
      gate: `p50 ${median(deciding).toFixed(2)} ms, worst ${Math.max(...deciding).toFixed(1)} ms`,
    },
    { measure: `one judgement of ${pods} pods in 100 Deployments (made up)`, gate: `${milliseconds.toFixed(1)} ms` },
  ];
}

interface Step {
  readonly milliseconds: number;
  readonly done: boolean;
}

function costsOf(recording: Recording): readonly Step[] {
  const startedAt = Date.parse(recording.header.startedAt);
  const begin = recording.lines.findIndex((line) => 'following' in line);
  const first = recording.lines[begin];
  // A run that was rejected followed nothing.
  if (first === undefined || !('following' in first)) return [];
  const { targets, terms } = first.following as { targets: readonly Omit<Target, 'positionOf'>[]; terms: Terms };
  const followed: readonly Target[] = targets.map((target) => ({ ...target, positionOf: () => null }));
  const store = createStore();
  for (const line of recording.lines.slice(0, begin)) take(store, line, startedAt + line.at);
  let judgement: Judgement | null = null;
  const steps: Step[] = [];
  for (const line of recording.lines.slice(begin)) {
    const now = startedAt + line.at;
    const began = performance.now();
    take(store, line, now);
    judgement = judge(followed, judgement, store.view, terms, now);
    if ('change' in line) steps.push({ milliseconds: performance.now() - began, done: judgement.done });
    if (judgement.done) break;
  }
  return steps;
}

function take(store: Store, line: RecordingLine, now: number): void {
  if ('change' in line) store.take(line.change, now);
  if ('lookup' in line) store.learn(line.lookup, line.known);
  if ('forbidden' in line) store.forbid(line.forbidden);
}
