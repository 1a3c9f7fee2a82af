import type { FieldPath } from '../kubernetes.ts';
import { DEPTH } from './depth.ts';
import { type FailedCreate, failedCreate } from './failed-create.ts';
import type { RawFinding } from './finding.ts';
import { after, NEVER } from './ripeness.ts';
import { type Family, podSpecPath, type Scene } from './scene.ts';
import { spanOf } from './span.ts';

/** Pods that the API server refuses to create for another reason than a quota. */
export const admission: Family = (scene) => {
  const failed = failedCreate(scene);
  if (failed === null || /(exceeded|failed) quota/.test(failed.message)) return [];
  return [judge(failed, scene)];
};

function judge(failed: FailedCreate, scene: Scene): RawFinding {
  const account = /serviceaccount "([\w.:-]+)" not found/.exec(failed.message)?.[1];
  if (account !== undefined) return accountMissing(account, failed, scene);
  const webhook = /failed calling webhook "([^"]+)"/.exec(failed.message)?.[1];
  if (webhook !== undefined) return webhookUnavailable(webhook, failed);
  if (isPassing(failed.message)) return passing(failed);
  return denied(failed, scene);
}

function accountMissing(account: string, failed: FailedCreate, scene: Scene): RawFinding {
  const path = [...podSpecPath(scene.target.ref.kind), 'serviceAccountName'];
  return {
    ...base(failed),
    code: 'ServiceAccountMissing',
    certainty: 'probable',
    summary: `No pod can be created: ServiceAccount "${account}" does not exist in namespace ${scene.target.ref.namespace}`,
    remedy: { text: `Create ServiceAccount "${account}", or correct serviceAccountName.`, path, value: null },
    falsifier: 'The ServiceAccount is created.',
    ripeness: after(failed.since, spanOf(scene, 30)),
  };
}

function webhookUnavailable(webhook: string, failed: FailedCreate): RawFinding {
  return {
    ...base(failed),
    code: 'WebhookUnavailable',
    certainty: 'waiting',
    summary: `No pod can be created: the admission webhook "${webhook}" does not answer`,
    remedy: { text: `See whether the pods behind the webhook "${webhook}" are running.`, path: null, value: null },
    falsifier: 'The webhook answers again.',
    ripeness: NEVER,
  };
}

/** Refusals by a server that is busy or changing, not by a rule. */
function isPassing(message: string): boolean {
  return /timeout|timed out|connection refused|etcdserver|the server (was|is currently) unable|try again|object is being deleted|is being terminated|too many requests|conflict|not yet ready to handle request|no API token found/i.test(
    message,
  );
}

function passing(failed: FailedCreate): RawFinding {
  return {
    ...base(failed),
    code: 'AdmissionDenied',
    certainty: 'waiting',
    summary: `Pods are not created at the moment: ${failed.message}`,
    remedy: { text: 'See the message; the controller goes on trying.', path: null, value: null },
    falsifier: 'The next attempt succeeds.',
    ripeness: NEVER,
  };
}

function denied(failed: FailedCreate, scene: Scene): RawFinding {
  return {
    ...base(failed),
    code: 'AdmissionDenied',
    certainty: 'certain',
    summary: `The API server refuses to create the pods: ${failed.message.replace(/^pods "[^"]*" is forbidden: /, '')}`,
    remedy: { text: remedyText(failed.message), path: pathFor(failed.message, scene), value: null },
    falsifier: 'The policy is changed.',
    ripeness: after(failed.since, deniedSeconds(failed.message), failed.count, 2),
  };
}

/** A rule of the server itself stands; one behind a webhook may still be loading what it decides by. */
function deniedSeconds(message: string): number {
  return /admission webhook/.test(message) ? 10 : 0;
}

function remedyText(message: string): string {
  if (/violates PodSecurity/.test(message))
    return "Change the securityContext as the message says, or the namespace's pod-security.kubernetes.io/enforce label.";
  if (/per (Container|Pod)/.test(message))
    return 'Change the resources so that they keep to the LimitRange of the namespace.';
  if (/PriorityClass/.test(message)) return 'Create the PriorityClass, or correct priorityClassName.';
  if (/RuntimeClass/.test(message)) return 'Create the RuntimeClass, or correct runtimeClassName.';
  if (/admission webhook|ValidatingAdmissionPolicy/.test(message)) return 'Change the pod template as the policy asks.';
  return 'Change the pod template as the message says.';
}

function pathFor(message: string, scene: Scene): FieldPath | null {
  const spec = podSpecPath(scene.target.ref.kind);
  if (/PriorityClass/.test(message)) return [...spec, 'priorityClassName'];
  if (/RuntimeClass/.test(message)) return [...spec, 'runtimeClassName'];
  if (/violates PodSecurity/.test(message)) return [...spec, 'securityContext'];
  return [...spec, 'containers'];
}

function base(failed: FailedCreate) {
  return {
    scope: 'cluster' as const,
    container: null,
    evidence: [{ what: `pods refused, ${failed.count} times`, value: failed.message }],
    depth: DEPTH.creation,
    pods: [],
  };
}
