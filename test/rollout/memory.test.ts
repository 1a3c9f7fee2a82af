import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../../src/kubernetes.ts';
import { remember } from '../../src/rollout/memory.ts';
import type { PodMemory } from '../../src/rollout/view.ts';
import { at, ended, NOON, pod, running, waiting } from '../situation.ts';

function remembered(...statuses: readonly Readonly<Record<string, unknown>>[]): PodMemory {
  const all = statuses.reduce<PodMemory | null>(
    (memory, status, index) => remember(memory, pod('a', { status }) as unknown as Pod, NOON + index * 1000),
    null,
  );
  if (all === null) throw new Error('a memory needs a status');
  return all;
}

test('a reason counts once each time that it is entered, not each time that it is seen', () => {
  const [pull, back] = [waiting('ErrImagePull', 'not found'), waiting('ImagePullBackOff')];
  const memory = remembered(pull, pull, back, back, pull, back).containers.get('app');
  assert.equal(memory?.waiting.find((each) => each.reason === 'ErrImagePull')?.times, 2);
  assert.equal(memory?.waiting.find((each) => each.reason === 'ErrImagePull')?.message, 'not found');
});

test('each end is remembered once, whether it is seen as the present or as the last state', () => {
  const backingOff = {
    containerStatuses: [
      {
        name: 'app',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 1, finishedAt: at(1) } },
      },
    ],
  };
  const runs = {
    containerStatuses: [
      {
        name: 'app',
        ready: false,
        restartCount: 1,
        state: { running: { startedAt: at(9) } },
        lastState: { terminated: { exitCode: 1, finishedAt: at(1) } },
      },
    ],
  };
  assert.equal(remembered(ended(1, 1, 0), backingOff, runs).containers.get('app')?.exits.length, 1);
  assert.equal(remembered(ended(1, 1, 0), backingOff, runs, ended(1, 12, 1)).containers.get('app')?.exits.length, 2);
  assert.equal(remembered(runs).containers.get('app')?.exits[0]?.restart, 0);
});

test('readiness that is lost without a restart is counted, a restart is not', () => {
  assert.equal(
    remembered(running(true, 1), running(false, 1), running(true, 1), running(false, 1)).containers.get('app')
      ?.readyLost,
    2,
  );
  assert.equal(remembered(running(true, 1), ended(1, 5, 0), running(true, 9, 1)).containers.get('app')?.readyLost, 0);
});
