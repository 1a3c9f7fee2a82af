import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import type { Planned } from '../../src/plan/planned.ts';
import { preflight } from '../../src/preflight/preflight.ts';
import { cluster, complete, deployment, NEW_TEMPLATE, sceneOf } from './scenes.ts';

const WEB = deployment(
  `ports: [{name: http, containerPort: 80, hostPort: 80}]
        startupProbe: {tcpSocket: {port: http}}
        livenessProbe: {grpc: {port: 1}}
        readinessProbe: {httpGet: {port: 81, host: ""}}
        resources: {requests: {cpu: 9, memory: 1Gi}, limits: {cpu: 9}}
        env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: a}}}, {name: B, value: b}]
        envFrom: [{configMapRef: {name: c}}, {secretRef: {name: s}}]
        command: [a]
        args: [b]`,
  'replicas: 3\n  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 25%}}',
  `serviceAccountName: x
      imagePullSecrets: [{name: p}]
      nodeSelector: {disk: ssd}
      affinity: {podAffinity: {}}
      initContainers: [{name: i, image: i, restartPolicy: Always, ports: [{containerPort: 2}]}]
      volumes:
      - {name: a, configMap: {name: c, items: [{key: k, path: k}]}}
      - {name: b, projected: {sources: [{secret: {name: s}}]}}
      - {name: c, persistentVolumeClaim: {claimName: p}}
      - {name: d, csi: {driver: d, nodePublishSecretRef: {name: s}}}`,
);
const REST = `---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, annotations: {a: b}}
spec:
  replicas: 2
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: d, image: d}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast}}]
---
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {selector: {app: nothing}, ports: [{port: 1, targetPort: x}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q}
spec: {hard: {pods: 1, limits.cpu: 1}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: l}
spec: {limits: [{type: Container, default: {cpu: 1}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: p}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, volumeName: pv}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec: {minReplicas: 1, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec: {parallelism: 3, completions: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: c}]}}}
`;

const SCENE = sceneOf({
  yaml: WEB + REST,
  live: { 'Deployment/web': complete(WEB, 3) },
  changes: { 'Deployment/web': NEW_TEMPLATE },
  answer: cluster({
    quotas: [{ metadata: { name: 'old' }, spec: { hard: { pods: '1' } }, status: { used: { pods: '1' } } }],
  }),
});

/** Every way to put null, which the server takes as absence, in the place of one field. */
function* withoutOne(node: unknown): Generator<unknown> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const put = (inner: unknown) => (Array.isArray(node) ? node.with(Number(key), inner) : { ...node, [key]: inner });
    if (!Array.isArray(node)) yield put(null);
    for (const inner of withoutOne(value)) yield put(inner);
  }
}

test('a field that is null is as good as absent, wherever it stands', () => {
  assert.ok(preflight(SCENE).length > 9);
  let tried = 0;
  for (const [index, planned] of SCENE.objects.entries()) {
    for (const spec of withoutOne(planned.document.object['spec'])) {
      const object = { ...planned.document.object, spec } as KubernetesObject;
      const changed: Planned = { ...planned, document: { ...planned.document, object } };
      tried += 1;
      assert.doesNotThrow(
        () => preflight({ ...SCENE, objects: SCENE.objects.with(index, changed) }),
        JSON.stringify(spec),
      );
      if (planned.live === null) continue;
      const live = { ...planned.live, spec, status: null } as unknown as KubernetesObject;
      assert.doesNotThrow(() => preflight({ ...SCENE, objects: SCENE.objects.with(index, { ...planned, live }) }));
    }
  }
  assert.ok(tried > 120, `${tried}`);
});

test('the same scene gives the same warnings, and none of them twice', () => {
  const texts = preflight(SCENE).map((each) => JSON.stringify(each));
  assert.deepEqual(
    preflight(SCENE).map((each) => JSON.stringify(each)),
    texts,
  );
  assert.equal(new Set(texts).size, texts.length);
});
