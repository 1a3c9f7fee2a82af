import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createRecorder } from '../../src/cluster/recorder.ts';
import { parseRecording } from '../../src/cluster/recording.ts';

function fileFor(t: TestContext): string {
  const at = mkdtempSync(path.join(tmpdir(), 'recorder-'));
  t.after(() => rmSync(at, { recursive: true }));
  return path.join(at, 'deep', 'recording.ndjson');
}

const HEADER = {
  tool: 'rollout-gate 1.2.3',
  server: 'v1.36.3',
  options: { kubeconfig: 'token: abcdef123', context: 'prod' },
};
const START = Date.parse('2026-01-02T03:04:05Z');

function pod(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'app', env: [{ name: 'DB_PASSWORD', value: 'hunter2' }] }] },
  };
}

describe('a recording', () => {
  it('is written line by line with the time since its start, and is read back', (t) => {
    const file = fileFor(t);
    let now = START;
    const recorder = createRecorder({ file, header: HEADER, secrets: () => [], now: () => now });
    now += 120;
    recorder.change({ type: 'ADDED', object: pod('a') });
    // Whatever has happened so far is in the file, before it is closed.
    assert.equal(parseRecording(readFileSync(file, 'utf8')).lines.length, 1);
    // A clock that is corrected backwards does not turn the order around.
    now -= 60;
    recorder.forbidden('list events in shop');
    now += 1_000;
    recorder.exchange(
      { method: 'GET', path: '/x', query: { a: '1' }, tookMs: 7.4 },
      { ok: true, status: 200, body: { b: 2 } },
    );
    recorder.resource('v1', 'Pod', null);
    recorder.resource('v1', 'Pod', null);
    recorder.close();
    recorder.change({ type: 'DELETED', object: pod('a') });
    const { header, lines } = parseRecording(readFileSync(file, 'utf8'));
    assert.equal(header.startedAt, '2026-01-02T03:04:05.000Z');
    assert.deepEqual(
      lines.map((line) => line.at),
      [120, 120, 1_060, 1_060],
    );
    assert.deepEqual(lines[2], {
      at: 1_060,
      request: { method: 'GET', path: '/x', query: { a: '1' } },
      took: 7,
      status: 200,
      body: { b: 2 },
    });
  });

  it('holds no secret, and can be read by its owner only', (t) => {
    const file = fileFor(t);
    const secrets: string[] = [];
    const recorder = createRecorder({ file, header: HEADER, secrets: () => secrets, now: () => START });
    secrets.push('learned-later');
    recorder.change({ type: 'ADDED', object: pod('a') });
    recorder.change({ type: 'ADDED', object: { ...pod('learned-later'), kind: 'Secret', data: { key: 'dmFsdWU=' } } });
    recorder.lookup(
      { kind: 'log', namespace: 'shop', pod: 'a', container: 'app', previous: false, restart: 0 },
      { state: 'known', value: ['using learned-later', 'Authorization: Bearer abcdefghij'], at: START },
    );
    recorder.exchange(
      { method: 'PATCH', path: '/x', body: { stringData: 'in-the-body' }, tookMs: 1 },
      { ok: true, status: 200, body: null },
    );
    recorder.close();
    const text = readFileSync(file, 'utf8');
    for (const secret of ['abcdef123', 'hunter2', 'learned-later', 'dmFsdWU=', 'abcdefghij', 'in-the-body'])
      assert.ok(!text.includes(secret), secret);
    assert.equal(statSync(file).mode & 0o077, 0);
  });

  it('stops at its limit, says so in its last line, and is still a recording', (t) => {
    const file = fileFor(t);
    const recorder = createRecorder({ file, header: HEADER, secrets: () => [], now: () => START, limitBytes: 2_000 });
    for (let index = 0; index < 100; index += 1) recorder.change({ type: 'ADDED', object: pod(`pod-${index}`) });
    assert.match(recorder.stopped() ?? '', /limit of 2000 bytes/);
    recorder.close();
    const { lines } = parseRecording(readFileSync(file, 'utf8'));
    assert.deepEqual(lines.at(-1), { at: 0, stopped: 'the recording reached its limit of 2000 bytes' });
    assert.ok(statSync(file).size < 2_200);
  });

  it('is read without its last line if that is torn, and refused if anything else is wrong', () => {
    const header =
      '{"rolloutGate":"recording","version":1,"tool":"","server":"","startedAt":"2026-01-02T03:04:05Z","options":{}}';
    const line = '{"at":1,"forbidden":"list pods"}';
    assert.equal(parseRecording(`${header}\n${line}\n{"at":2,"chan`).lines.length, 1);
    assert.equal(parseRecording(`${header}\n${line}`).lines.length, 1);
    assert.throws(() => parseRecording(`${header}\nnonsense\n${line}\n`), /line 2 is not a line of a recording/);
    assert.throws(() => parseRecording(`${line}\n`), /line 1 is not the header/);
    assert.throws(() => parseRecording(''), /line 1 is not the header/);
  });
});
