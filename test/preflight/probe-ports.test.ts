import { complete, deployment, NEW_TEMPLATE } from './scenes.ts';
import { table } from './table.ts';

const PORTS = 'ports: [{name: http, containerPort: 8080}]';
const of = (probe: string, ports = PORTS, pod = '') => ({ yaml: deployment(`${probe}\n        ${ports}`, '', pod) });
const SIDECAR = 'initContainers: [{name: proxy, image: p, restartPolicy: Always, ports: [{containerPort: 9000}]}]';
const INIT = 'initContainers: [{name: setup, image: p, ports: [{containerPort: 9000}]}]';
const UNDECLARED = deployment(`readinessProbe: {httpGet: {port: 9000}}\n        ${PORTS}`);

table('probe ports', [
  ['a declared number', of('readinessProbe: {httpGet: {port: 8080}}')],
  ['a declared name', of('readinessProbe: {httpGet: {port: http}}')],
  [
    'an undeclared number',
    of('readinessProbe: {httpGet: {port: 8081}}'),
    ['ReadinessNeverPasses', /asks port 8081, which no container of the pod declares .*http \(8080\)/],
  ],
  ['an undeclared number, where nothing is declared', of('readinessProbe: {httpGet: {port: 8081}}', '')],
  ['a liveness probe by TCP', of('livenessProbe: {tcpSocket: {port: 8081}}'), ['LivenessKills', /8081/]],
  ['a startup probe by gRPC', of('startupProbe: {grpc: {port: 8081}}'), ['StartupKills', /8081/]],
  ['a probe of another host', of('readinessProbe: {httpGet: {host: example.com, port: 8081}}')],
  ['a probe by command', of('readinessProbe: {exec: {command: ["true"]}}')],
  ['a port of a sidecar, which shares the network', of('readinessProbe: {httpGet: {port: 9000}}', PORTS, SIDECAR)],
  [
    'a port of an init container, which has ended by then',
    of('readinessProbe: {httpGet: {port: 9000}}', PORTS, INIT),
    ['ReadinessNeverPasses', /9000/],
  ],
  [
    'a name that the container does not have',
    of('readinessProbe: {httpGet: {port: web}}'),
    ['ReadinessNeverPasses', /port named "web" of the container "app", which has http \(8080\): the probe cannot run/],
  ],
  [
    'a name, where nothing is declared',
    of('startupProbe: {httpGet: {port: web}}', ''),
    ['ReadinessNeverPasses', /declares no port/],
  ],
  [
    'a liveness probe of an unknown name',
    of('livenessProbe: {httpGet: {port: web}}'),
    ['LivenessNeverRuns', /protects nothing/],
  ],
  [
    'an undeclared number that the ready pods of the last revision asked for too',
    {
      yaml: UNDECLARED,
      live: { 'Deployment/web': complete(UNDECLARED, 1) },
      changes: { 'Deployment/web': NEW_TEMPLATE },
    },
  ],
  [
    'an undeclared number that is new',
    {
      yaml: UNDECLARED,
      live: { 'Deployment/web': complete(deployment(`readinessProbe: {httpGet: {port: 8080}}\n        ${PORTS}`), 1) },
      changes: { 'Deployment/web': NEW_TEMPLATE },
    },
    ['ReadinessNeverPasses', /9000/],
  ],
]);
