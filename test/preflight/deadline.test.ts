import { complete, deployment } from './scenes.ts';
import { table } from './table.ts';

const STARTUP = 'startupProbe: {tcpSocket: {port: 1}, initialDelaySeconds: 5, failureThreshold: 30, periodSeconds: 10}';
const SIDECAR =
  'initContainers: [{name: p, image: p, restartPolicy: Always, startupProbe: {tcpSocket: {port: 1}, failureThreshold: 4}}]';

table('deadline', [
  [
    'shorter than the startup probe allows',
    { yaml: deployment(STARTUP, 'progressDeadlineSeconds: 300') },
    [
      'ProgressDeadlineExceeded',
      /300 is shorter than what the startupProbe allows .*5 s \+ 30 × 10 s = 305 s.*above 305/,
    ],
  ],
  ['as long as it allows', { yaml: deployment(STARTUP, 'progressDeadlineSeconds: 305') }],
  ['the default is long enough', { yaml: deployment(STARTUP) }],
  [
    'the default is not',
    { yaml: deployment('startupProbe: {tcpSocket: {port: 1}, failureThreshold: 61}') },
    ['ProgressDeadlineExceeded', /is 600 by default/],
  ],
  [
    'readiness that starts after it',
    {
      yaml: deployment(
        'readinessProbe: {tcpSocket: {port: 1}, initialDelaySeconds: 90}',
        'progressDeadlineSeconds: 60',
      ),
    },
    ['ProgressDeadlineExceeded', /initialDelaySeconds of the container "app" \(90 s\)/],
  ],
  [
    'sidecars start before',
    { yaml: deployment('startupProbe: {tcpSocket: {port: 1}}', 'progressDeadlineSeconds: 60', SIDECAR) },
    ['ProgressDeadlineExceeded', /sidecar container "p" \(4 × 10 s = 40 s\) and what .* \(3 × 10 s = 30 s\).*above 70/],
  ],
  [
    'minReadySeconds comes after ready, which restarts the clock',
    { yaml: deployment('startupProbe: {tcpSocket: {port: 1}}', 'progressDeadlineSeconds: 60\n  minReadySeconds: 50') },
  ],
  [
    'a revision that is there and ready',
    {
      yaml: deployment(STARTUP, 'progressDeadlineSeconds: 60'),
      live: { 'Deployment/web': complete(deployment(STARTUP, 'progressDeadlineSeconds: 60'), 1) },
    },
  ],
]);
