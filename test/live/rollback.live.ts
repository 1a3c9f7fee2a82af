import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documents, gate, inNamespace, kubectl, skip } from './cluster.ts';
import { keepRecording } from './keep-recording.ts';
import { expectBack, readState } from './namespace-state.ts';
import { type RollbackStory, STORIES } from './rollback-stories.ts';

async function play(story: RollbackStory, namespace: string): Promise<void> {
  const fill = (text: string) => text.replaceAll('NS', namespace);
  const inputs = { 'stable-for': '5s', 'on-stall': 'rollback', ...story.inputs };
  for (const step of story.setup ?? []) await kubectl(step.kubectl.map(fill), step.input);
  const good = fill(documents(...story.good));
  const first = await gate(good, inputs);
  assert.equal(first.outputs['verdict'], 'succeeded', first.log);
  for (const step of story.settled ?? []) await kubectl(step.kubectl.map(fill));
  const before = await readState(namespace);
  const run = await gate(fill(documents(...story.bad)), inputs);
  assert.equal(`${run.outputs['verdict']} ${run.outputs['cause']}`, `stalled ${story.cause}`, run.log);
  assert.equal(run.outputs['rollback'], 'rolled-back', run.log);
  assert.equal(run.code, 1);
  assert.match(run.summary, /Rolled back/);
  await expectBack(namespace, before, good);
  await keepRecording(story.name, run);
}

describe('rollback', { skip, concurrency: 4 }, () => {
  for (const story of STORIES)
    test(`${story.name}: all is as it was`, () =>
      inNamespace(`rb-${story.name}`, (namespace) => play(story, namespace)));
});
