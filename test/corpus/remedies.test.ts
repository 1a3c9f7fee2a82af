import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldName } from '../../src/report/field-name.ts';
import { rejudge } from '../replay/rejudge.ts';
import { recordedCases } from './recordings.ts';

/** What a recorded stall is said to be, and the field to change: where several could be meant. */
const REMEDIES: Readonly<Record<string, readonly [field: string, summary: RegExp]>> = {
  'claim-template-of-unknown-class': ['spec.volumeClaimTemplates[0].spec.storageClassName', /"data-web-0".*"fast-ssd"/],
  'config-map-mounted-over-a-file': [
    'spec.template.spec.containers[app].volumeMounts[v].mountPath',
    /nothing can be mounted at \/etc\/passwd: not a directory$/,
  ],
  'config-map-volume-key-missing': [
    'spec.template.spec.volumes[v].configMap.items[0].key',
    /^ConfigMap "settings" has no key "app\.yaml"/,
  ],
  'second-of-two-config-maps-lacks-the-key': [
    'spec.template.spec.volumes[second].configMap.items[0].key',
    /^ConfigMap "second" has no key/,
  ],
  'device-that-no-node-offers': [
    'spec.template.spec.containers[app].resources.limits.rollout-gate.test/device',
    /^No node offers rollout-gate\.test\/device, of which each pod requests 1:/,
  ],
  'host-path-missing': ['spec.template.spec.volumes[data]', /hostPath type check failed/],
  'working-dir-that-cannot-be-made': ['spec.template.spec.containers[app].workingDir', /: mkdir \/proc\/app: /],
  'command-is-a-directory': ['spec.template.spec.containers[app].command', /: exec: "\/etc": is a directory$/],
};

for (const { one, recording } of recordedCases()) {
  const remedy = REMEDIES[one.name];
  if (remedy === undefined) continue;
  test(`${one.name}: the field to change`, () => {
    const [standing] = rejudge(recording).judgement.standings;
    const finding = standing?.findings[0];
    assert.ok(standing !== undefined && finding !== undefined);
    assert.equal(fieldName(finding.remedy.path ?? [], standing.target.desired), remedy[0]);
    assert.match(finding.summary, remedy[1]);
  });
}

test('every recording of which the remedy is known is there', () => {
  const names = new Set(recordedCases().map(({ one }) => one.name));
  assert.deepEqual(
    Object.keys(REMEDIES).filter((name) => !names.has(name)),
    [],
  );
});
