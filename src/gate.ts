import { finishEarlier, foreseeRollback, keepProof } from './across-runs.ts';
import type { Applied } from './apply/applied.ts';
import { apply } from './apply/apply.ts';
import { type Connection, connect } from './cluster/connect.ts';
import { lookUp } from './cluster/lookup.ts';
import { createRecorder, type Recorder } from './cluster/recorder.ts';
import { findWorkloads } from './cluster/workloads.ts';
import { readContract } from './contract.ts';
import { inspect } from './inspect.ts';
import { factsOf, type Journey, stage, startJourney } from './journey.ts';
import { refKey, shortName } from './kubernetes.ts';
import { lookAhead } from './look-ahead.ts';
import type { Manifest } from './manifest/document.ts';
import { type Observed, observe } from './observe.ts';
import { optionTexts } from './option-texts.ts';
import type { Options } from './options.ts';
import { plan } from './plan/plan.ts';
import type { Plan, Planned } from './plan/planned.ts';
import { NO_EFFECT } from './preflight/effect.ts';
import { effectsOf } from './preflight/effects.ts';
import { GateError } from './problem.ts';
import { say } from './progress-log.ts';
import { composeReport, plannedReport, rejectedReport } from './report/compose.ts';
import type { ProgressLine } from './report/progress-line.ts';
import type { Report } from './report/report.ts';
import type { Target } from './rollout/target.ts';
import { answerStall, unrolled } from './stall-answer.ts';
import { targetsOf, watchedTargets } from './targets.ts';
import { tellPlan } from './tell-plan.ts';
import type { Secrets } from './text/secrets.ts';
import { VERSION } from './version.ts';

/** What the gate is given besides the inputs. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that relative paths of the input `manifests` start from. */
  readonly workspace: string;
  /** This run, as a link where there is one: what it proves is kept under this name. */
  readonly run: string;
  /** Where the recording is written. */
  readonly recording: string;
  readonly secrets: Secrets;
  /** Aborted when the runner wants the step to end. */
  readonly cancelled: AbortSignal;
  /** Told how every workload stands, at each judgement. */
  readonly onProgress: (lines: readonly ProgressLine[]) => void;
  /** Writes the evidence to disk, before a rollback touches anything. */
  readonly keep: (report: Report) => Promise<void>;
}

/**
 * The whole way, in five stages: contract (what is asked for, and is it valid?), representation (what does the cluster hold?), operation
 * and boundary (is it becoming ready, and if not, why?), result (what happened?).
 *
 * @returns the report of the run, whatever came of it; only bugs are thrown
 */
export async function gate(options: Options, outside: Surroundings): Promise<Report> {
  const journey = startJourney(options);
  try {
    return await travel(options, outside, journey);
  } catch (error) {
    if (error instanceof GateError) return unrolled(rejectedReport(factsOf(journey), error.problems), options);
    throw error;
  } finally {
    journey.log?.end();
    await journey.connection?.close();
  }
}

async function travel(options: Options, outside: Surroundings, journey: Journey): Promise<Report> {
  const { secrets, cancelled, onProgress } = outside;
  if (options.mode !== 'watch') journey.manifest = await readContract(options, outside.workspace, secrets);
  const { connection, recorder } = await open(options, outside, journey);
  try {
    const observing = { connection, recorder, secrets, cancelled, onProgress };
    await finishEarlier(connection, outside, journey);
    const planned =
      journey.manifest === null ? null : await planManifest(journey.manifest, connection, secrets, journey);
    if (planned !== null && options.mode === 'plan')
      return plannedReport(factsOf(journey), planned.objects.map(foreseen));
    if (planned !== null) await foreseeRollback(planned, connection, outside, journey);
    const targets =
      planned === null
        ? await stage('contract', journey, () => findTargets(options, connection))
        : await applyPlan(planned, connection, secrets, journey);
    if ('problems' in targets)
      return await answerStall(rejectedReport(factsOf(journey), targets.problems), observing, outside, journey);
    const observed = await stage('operation', journey, () => observe(targets, observing, journey));
    const report = await keepProof(await conclude(observed, outside, journey), connection, outside, journey);
    return await answerStall(report, observing, outside, journey);
  } finally {
    recorder.close();
  }
}

/** Connects, and records all that the server says from then on. */
async function open(
  options: Options,
  outside: Surroundings,
  journey: Journey,
): Promise<{ readonly connection: Connection; readonly recorder: Recorder }> {
  let recorder: Recorder | null = null;
  const connection = await connect({ ...options, version: VERSION }, outside.env, {
    onSecret: outside.secrets.add,
    onRetry: (notice) => say(notice, outside.secrets),
    onExchange: (...exchange) => recorder?.exchange(...exchange),
    onResource: (apiVersion, kind, found) => recorder?.resource(apiVersion, kind, found),
  });
  journey.connection = connection;
  recorder = createRecorder({
    file: outside.recording,
    header: { tool: `rollout-gate ${VERSION}`, server: connection.version, options: optionTexts(options) },
    secrets: outside.secrets.values,
    now: connection.now,
  });
  return { connection, recorder };
}

/** The manifest, checked by the server, with what an apply would change, and with what can be known of it beforehand. */
async function planManifest(
  manifest: Manifest,
  connection: Connection,
  secrets: Secrets,
  journey: Journey,
): Promise<Plan> {
  const { options } = journey;
  const planned = await stage('contract', journey, async () => {
    const checked = await plan(manifest, connection, options);
    journey.warnings = await lookAhead(checked.objects, (lookup) => lookUp(connection, lookup, options.logLines));
    return checked;
  });
  const effects = effectsOf(planned.objects);
  journey.effects = new Map(planned.objects.map(({ ref }, index) => [refKey(ref), effects[index] ?? NO_EFFECT]));
  tellPlan(planned, manifest, connection.server, journey, secrets);
  return planned;
}

/** What something else rolled out, as it stands now. */
async function findTargets(options: Options, connection: Connection) {
  const objects = await findWorkloads(connection, options.workloads, options.namespace || connection.namespace);
  return watchedTargets(objects, options.fieldManager, connection.now());
}

const PLANNED = { create: 'created', change: 'changed', keep: 'unchanged' } as const;

function foreseen({ ref, action, changes }: Planned) {
  return { ref, action: PLANNED[action], fields: changes };
}

/** Applies the plan. @returns what is to be followed of it, or the error that ended it */
async function applyPlan(
  planned: Plan,
  connection: Connection,
  secrets: Secrets,
  journey: Journey,
): Promise<readonly Target[] | GateError> {
  const { options } = journey;
  const tell = (applied: Applied) => {
    journey.applied.push(applied);
    if (applied.action === 'unchanged') return;
    const paths = applied.changes.map((change) => change.path).join(', ');
    say(`${applied.action} ${shortName(applied.ref)} ${paths}`, secrets);
  };
  try {
    const applied = await stage('representation', journey, () => apply(planned, connection, options, tell));
    return targetsOf(applied, options.fieldManager);
  } catch (error) {
    if (error instanceof GateError) return error;
    throw error;
  }
}

/** Reads what a person would look at, unless the runner is ending the step, and puts it all together. */
async function conclude(observed: Observed, outside: Surroundings, journey: Journey): Promise<Report> {
  const { judgement, store, terms, read } = observed;
  const cancelled = outside.cancelled.aborted;
  const now = journey.connection?.now() ?? Date.now();
  const inspections = cancelled
    ? new Map()
    : await stage('result', journey, () => inspect(judgement, store, terms, read, now));
  return composeReport(factsOf(journey), judgement, inspections, cancelled);
}
