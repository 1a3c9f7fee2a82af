import type { Probe } from '../kubernetes.ts';
import { fieldAt } from '../stall/scene.ts';
import type { Check } from './scene.ts';
import { type Warning, warning } from './warning.ts';
import { containersOf, type PlacedContainer, type Workload, workloadsOf } from './workload.ts';

/** Source: pkg/apis/apps/v1, SetDefaults_Deployment. */
const DEFAULT_SECONDS = 600;

/** How long a container may take until its probes can pass. */
interface Budget {
  readonly seconds: number;
  readonly what: string;
}

/**
 * Deployments whose progressDeadlineSeconds ends before the start that their own probes allow. A pod that becomes ready is progress and
 * restarts the clock, so minReadySeconds does not add up with the start; that it is shorter than the deadline the API sees to itself.
 * Source: pkg/controller/deployment/util, DeploymentProgressing; pkg/apis/apps/validation, ValidateDeploymentSpec.
 */
export const deadline: Check = (scene) =>
  workloadsOf(scene).flatMap((workload) =>
    workload.kind === 'Deployment' && workload.isMoving ? check(workload) : [],
  );

function check(workload: Workload): readonly Warning[] {
  const { document, live } = workload.planned;
  const path = ['spec', 'progressDeadlineSeconds'];
  const written = fieldAt(document.object, path) ?? fieldAt(live, path);
  const limit = (written ?? DEFAULT_SECONDS) as number;
  const budget = budgetOf(containersOf(workload).filter((each) => each.runsOn));
  if (budget === null || budget.seconds <= limit) return [];
  const is =
    written === undefined
      ? `progressDeadlineSeconds is ${limit} by default, which is`
      : `progressDeadlineSeconds ${limit} is`;
  return [
    warning(
      'ProgressDeadlineExceeded',
      workload.planned,
      path,
      `${is} shorter than ${budget.what}: a slow start that the probes allow is called a failure. Set it above ${budget.seconds}, plus the time of the image pull.`,
    ),
  ];
}

/** Sidecars start one after the other, then the containers at the same time. Source: KEP-753. */
function budgetOf(placed: readonly PlacedContainer[]): Budget | null {
  const sidecars = placed.filter(({ container }) => container.restartPolicy === 'Always');
  const before = sidecars.flatMap((each) => startup(each));
  const apps = placed
    .filter((each) => !sidecars.includes(each))
    .flatMap((each) => [...startup(each), ...readiness(each)]);
  const longest = apps.reduce<Budget | null>((a, b) => (a === null || b.seconds > a.seconds ? b : a), null);
  const all = [...before, ...(longest === null ? [] : [longest])];
  if (all.length === 0) return null;
  return {
    seconds: all.reduce((sum, each) => sum + each.seconds, 0),
    what: all.map((each) => each.what).join(' and '),
  };
}

function startup({ container, title }: PlacedContainer): readonly Budget[] {
  const probe = container.startupProbe;
  if (probe == null) return [];
  const { initialDelaySeconds: delay = 0, failureThreshold: times = 3, periodSeconds: period = 10 } = probe;
  const seconds = delay + times * period;
  const delayed = delay === 0 ? '' : `${delay} s + `;
  return [
    { seconds, what: `what the startupProbe allows the ${title} (${delayed}${times} × ${period} s = ${seconds} s)` },
  ];
}

/** The kubelet counts the delay from the container's start, not from the passed startupProbe. Source: pkg/kubelet/prober, worker.go. */
function readiness({ container, title }: PlacedContainer): readonly Budget[] {
  const probe: Probe | undefined = container.readinessProbe;
  const seconds = probe?.initialDelaySeconds ?? 0;
  return seconds === 0
    ? []
    : [{ seconds, what: `the readinessProbe's initialDelaySeconds of the ${title} (${seconds} s)` }];
}
