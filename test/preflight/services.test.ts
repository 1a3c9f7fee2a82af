import { cluster, deployment, type Situation } from './scenes.ts';
import { table } from './table.ts';

const PORTS = 'ports: [{name: http, containerPort: 80}, {name: dns, containerPort: 53, protocol: UDP}]';
const service = (spec: string) => `---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: ${spec}\n`;
const beside = (spec: string, more = ''): Situation => ({ yaml: deployment(PORTS) + service(spec) + more });
const custom = (group: string, kind: string) => `---\napiVersion: ${group}/v1\nkind: ${kind}\nmetadata: {name: x}\n`;

table('services', [
  ['a selector that matches', beside('{selector: {app: web}, ports: [{port: 1}]}')],
  [
    'a selector that matches nothing',
    beside('{selector: {app: wbe}, ports: [{port: 1}]}'),
    ['ServiceWithoutEndpoints', /app=wbe matches .*nearest is Deployment\/web with app=web/],
  ],
  [
    'pods of the cluster match',
    { ...beside('{selector: {app: old}, ports: [{port: 1}]}'), answer: cluster({ 'has-pods': true }) },
  ],
  [
    'pods may not be read',
    { ...beside('{selector: {app: old}, ports: [{port: 1}]}'), answer: cluster({ 'has-pods': null }) },
  ],
  ['a manifest without pods', { yaml: service('{selector: {app: old}, ports: [{port: 1}]}') }],
  ['no selector: its endpoints are somebody else’s', beside('{ports: [{port: 1}]}')],
  ['another name', beside('{type: ExternalName, externalName: example.com, selector: {app: x}}')],
  [
    'a custom resource may run the pods',
    beside('{selector: {app: kafka}, ports: [{port: 1}]}', custom('kafka.strimzi.io', 'Kafka')),
  ],
  [
    'a certificate runs none',
    beside('{selector: {app: kafka}, ports: [{port: 1}]}', custom('cert-manager.io', 'Certificate')),
    ['ServiceWithoutEndpoints', /app=kafka/],
  ],
  ['a named port', beside('{selector: {app: web}, ports: [{port: 1, targetPort: http}]}')],
  ['a number', beside('{selector: {app: web}, ports: [{port: 1, targetPort: 9999}]}')],
  [
    'a name that no container has',
    beside('{selector: {app: web}, ports: [{port: 1, targetPort: https}]}'),
    ['ServiceWithoutEndpoints', /port named "https" with protocol TCP \(they have http, dns\)/],
  ],
  [
    'a name of the other protocol',
    beside('{selector: {app: web}, ports: [{port: 1, targetPort: dns}]}'),
    ['ServiceWithoutEndpoints', /only with protocol UDP/],
  ],
  ['a name of that protocol', beside('{selector: {app: web}, ports: [{port: 1, targetPort: dns, protocol: UDP}]}')],
]);

const scaler = (name: string, min: number, max: number) => ({
  metadata: { name: 'h' },
  spec: { minReplicas: min, maxReplicas: max, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
});
const asks = (spec: string, scalers: readonly unknown[], more = ''): Situation => ({
  yaml: deployment('', spec) + more,
  answer: cluster({ 'pod-autoscalers': scalers }),
});
const HPA = `---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: own}\nspec: {maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n`;
const KEDA = `---\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: k}\nspec: {scaleTargetRef: {name: web}}\n`;

table('autoscaled', [
  [
    'the cluster scales it',
    asks('replicas: 3', [scaler('web', 2, 5)]),
    ['ReplicasContested', /"h" sets the replicas \(2 to 5\), and the manifest sets 3/],
  ],
  ['the manifest leaves it to that', asks('', [scaler('web', 2, 5)])],
  ['another one is scaled', asks('replicas: 3', [scaler('api', 2, 5)])],
  ['they cannot disagree', asks('replicas: 3', [scaler('web', 3, 3)])],
  [
    'autoscalers that may not be read',
    { yaml: deployment('', 'replicas: 3'), answer: cluster({ 'pod-autoscalers': null }) },
  ],
  ['the manifest scales it', asks('replicas: 3', [], HPA), ['ReplicasContested', /"own" sets the replicas \(1 to 4\)/]],
  ['the manifest scales it by KEDA', asks('replicas: 3', [], KEDA), ['ReplicasContested', /ScaledObject "k"/]],
]);
