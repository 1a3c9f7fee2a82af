import type { Applied } from './apply/applied.ts';
import { apply } from './apply/apply.ts';
import { type Connection, connect } from './cluster/connect.ts';
import { openFeed } from './cluster/feed.ts';
import { lookUp } from './cluster/lookup.ts';
import { createRecorder, type Recorder } from './cluster/recorder.ts';
import { findWorkloads } from './cluster/workloads.ts';
import { followToEnd } from './follow.ts';
import { inspect, type Read } from './inspect.ts';
import { shortName } from './kubernetes.ts';
import type { Manifest } from './manifest/document.ts';
import { readManifest } from './manifest/read.ts';
import { optionTexts } from './option-texts.ts';
import type { Options } from './options.ts';
import { plan } from './plan/plan.ts';
import { GateError } from './problem.ts';
import { createProgressLog, type ProgressLog, say } from './progress-log.ts';
import { composeReport, type RunFacts, rejectedReport } from './report/compose.ts';
import type { Report, ReportStage } from './report/report.ts';
import { createStore } from './rollout/store.ts';
import type { Target } from './rollout/target.ts';
import { watchesFor } from './rollout/watches.ts';
import { overrideProblems } from './stall/override.ts';
import { targetsOf, watchedTargets } from './targets.ts';
import type { Secrets } from './text/secrets.ts';
import type { Judgement, Terms } from './verdict.ts';
import { VERSION } from './version.ts';

/** What the gate is given besides the inputs. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that relative paths of the input `manifests` start from. */
  readonly workspace: string;
  /** Where the recording is written. */
  readonly recording: string;
  readonly secrets: Secrets;
  /** Aborted when the runner wants the step to end. */
  readonly cancelled: AbortSignal;
}

/** What is collected on the way, so that a run which breaks off can say how far it came. */
interface Journey {
  readonly startedAt: number;
  readonly stages: ReportStage[];
  readonly applied: Applied[];
  readonly notices: Set<string>;
  manifest: Manifest | null;
  connection: Connection | null;
  log: ProgressLog | null;
}

/**
 * The whole way, in five stages: contract (what is asked for, and is it valid?), representation (what does the cluster hold?), operation
 * and boundary (is it becoming ready, and if not, why?), result (what happened?).
 *
 * @returns the report of the run, whatever came of it; only bugs are thrown
 */
export async function gate(options: Options, outside: Surroundings): Promise<Report> {
  const journey: Journey = {
    startedAt: Date.now(),
    stages: [],
    applied: [],
    notices: new Set(),
    manifest: null,
    connection: null,
    log: null,
  };
  try {
    return await travel(options, outside, journey);
  } catch (error) {
    if (error instanceof GateError) return rejectedReport(facts(options, journey), error.problems);
    throw error;
  } finally {
    journey.log?.end();
    await journey.connection?.close();
  }
}

async function travel(options: Options, outside: Surroundings, journey: Journey): Promise<Report> {
  const manifest = options.mode === 'watch' ? null : await readManifest(options, outside.workspace);
  journey.manifest = manifest;
  if (manifest !== null) {
    learnSecrets(manifest, outside.secrets);
    checkOverrides(manifest);
  }
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
  try {
    const targets =
      manifest === null
        ? await watched(options, connection, journey)
        : await deployed(manifest, options, outside, connection, journey);
    if (targets === null)
      return { ...composeReport(facts(options, journey), null, new Map(), false), verdict: 'planned' };
    return await observed(targets, options, outside, connection, recorder, journey);
  } finally {
    recorder.close();
  }
}

/** Contract and representation, for what something else rolled out. */
async function watched(options: Options, connection: Connection, journey: Journey): Promise<readonly Target[]> {
  return stage('contract', journey, async () => {
    const objects = await findWorkloads(connection, options.workloads, options.namespace || connection.namespace);
    return watchedTargets(objects, options.fieldManager, connection.now());
  });
}

/** Contract and representation, for a manifest. null: it was only planned. */
async function deployed(
  manifest: Manifest,
  options: Options,
  outside: Surroundings,
  connection: Connection,
  journey: Journey,
): Promise<readonly Target[] | null> {
  const planned = await stage('contract', journey, () => plan(manifest, connection, options));
  const counts = Map.groupBy(planned.objects, (object) => object.action);
  const count = (action: 'create' | 'change' | 'keep') => counts.get(action)?.length ?? 0;
  say(
    `${planned.objects.length} objects checked by ${connection.server}: ${count('create')} to create, ${count('change')} to change, ${count('keep')} unchanged`,
    outside.secrets,
  );
  for (const change of manifest.imageChanges)
    say(`image of ${shortName(change.document)}: ${change.from} → ${change.to}`, outside.secrets);
  if (options.mode === 'plan') {
    for (const object of planned.objects)
      if (object.action !== 'keep')
        say(
          `would ${object.action} ${shortName(object.ref)} ${object.changes.map((change) => change.path).join(', ')}`,
          outside.secrets,
        );
    return null;
  }
  await stage('representation', journey, () =>
    apply(planned, connection, options, (applied) => {
      journey.applied.push(applied);
      if (applied.action !== 'unchanged')
        say(
          `${applied.action} ${shortName(applied.ref)} ${applied.changes.map((change) => change.path).join(', ')}`,
          outside.secrets,
        );
    }),
  );
  return targetsOf(journey.applied, options.fieldManager);
}

/** Operation and boundary: follow the targets to their verdicts; then the result. */
async function observed(
  targets: readonly Target[],
  options: Options,
  outside: Surroundings,
  connection: Connection,
  recorder: Recorder,
  journey: Journey,
): Promise<Report> {
  const terms = termsOf(options, journey, connection.now());
  const store = createStore();
  const log = createProgressLog(terms.startedAt, outside.secrets);
  journey.log = log;
  const changes = signalOfChanges();
  const feed = openFeed(connection.transport, {
    onChange: (change) => {
      recorder.change(change);
      store.take(change, connection.now());
      changes.raise();
    },
    onListed: recorder.listed,
    onForbidden: (right) => {
      recorder.forbidden(right);
      store.forbid(right);
      journey.notices.add(`Not allowed to ${right}: what it would show is missing from the judgement`);
    },
    onNotice: (text) => {
      journey.notices.add(text);
      say(text, outside.secrets);
    },
  });
  const read: Read = async (lookup) => {
    const known = await lookUp(connection, lookup, options.logLines);
    recorder.lookup(lookup, known);
    return known;
  };
  try {
    const judgement = await stage('operation', journey, async () => {
      await subscribe(targets, connection, feed);
      recorder.following({ targets, terms });
      return followToEnd(targets, terms, {
        store,
        nextChange: changes.next,
        read,
        now: connection.now,
        onJudgement: log.take,
        cancelled: outside.cancelled,
      });
    });
    return await stage('result', journey, () =>
      conclude(judgement, options, outside, journey, () => inspect(judgement, store, terms, read, connection.now())),
    );
  } finally {
    feed.close();
  }
}

async function subscribe(
  targets: readonly Target[],
  connection: Connection,
  feed: ReturnType<typeof openFeed>,
): Promise<void> {
  const subscriptions = await Promise.all(
    watchesFor(targets).map(async ({ apiVersion, kind, ...watch }) => {
      const resource = await connection.resource(apiVersion, kind);
      return resource === null ? [] : [{ resource, ...watch }];
    }),
  );
  await feed.subscribe(subscriptions.flat());
}

async function conclude(
  judgement: Judgement,
  options: Options,
  outside: Surroundings,
  journey: Journey,
  look: () => ReturnType<typeof inspect>,
): Promise<Report> {
  const cancelled = outside.cancelled.aborted;
  const inspections = cancelled ? new Map() : await look();
  return composeReport(facts(options, journey), judgement, inspections, cancelled);
}

function termsOf(options: Options, journey: Journey, now: number): Terms {
  return {
    patience: options.patience,
    stableForMs: options.stableForMs,
    timeoutMs: options.timeoutMs,
    startedAt: now,
    applied: journey.applied.map((each) => each.after),
  };
}

async function stage<T>(name: ReportStage['name'], journey: Journey, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    journey.stages.push({ name, milliseconds: Math.round(performance.now() - began) });
  }
}

function checkOverrides(manifest: Manifest): void {
  const problems = manifest.documents.flatMap(({ object, ref, source }) =>
    overrideProblems(object).map(({ annotation, message }) => ({
      message: `${shortName(ref)}: annotation ${annotation}: ${message}`,
      position: source.at(['metadata', 'annotations', annotation]),
    })),
  );
  if (problems.length > 0) throw new GateError(problems);
}

/** Values of the manifest's own Secrets must not come back out of the cluster by way of a log or a message. */
function learnSecrets(manifest: Manifest, secrets: Secrets): void {
  for (const { object } of manifest.documents) {
    if (object.kind !== 'Secret' || object.apiVersion !== 'v1') continue;
    const texts = (field: string) =>
      Object.values((object[field] ?? {}) as Readonly<Record<string, unknown>>).filter(
        (value) => typeof value === 'string',
      );
    for (const value of texts('stringData')) secrets.add(value);
    for (const value of texts('data')) secrets.add(Buffer.from(value, 'base64').toString('utf8'));
  }
}

/** Lets one waiter sleep until something has changed since it last looked. */
function signalOfChanges() {
  let raised = false;
  let wake: () => void = () => undefined;
  return {
    raise: () => {
      raised = true;
      wake();
    },
    next: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const done = () => {
          raised = false;
          resolve();
        };
        if (raised) return done();
        wake = done;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
}

function facts(options: Options, journey: Journey): RunFacts {
  const stats = journey.connection?.stats();
  const verbs = Object.values(stats?.verbs ?? {});
  return {
    tool: `rollout-gate ${VERSION}`,
    mode: options.mode,
    server: journey.connection?.server ?? '',
    startedAt: journey.startedAt,
    endedAt: Date.now(),
    options: optionTexts(options),
    stages: journey.stages,
    imageChanges: journey.manifest?.imageChanges ?? [],
    applied: journey.applied,
    notices: [...journey.notices],
    timeline: journey.log?.timeline() ?? [],
    requests: {
      count: stats?.requests ?? 0,
      retries: stats?.retries ?? 0,
      bytesReceived: stats?.bytesReceived ?? 0,
      p50Milliseconds: Math.max(0, ...verbs.map((verb) => Math.round(verb.p50))),
      p999Milliseconds: Math.max(0, ...verbs.map((verb) => Math.round(verb.p999))),
    },
  };
}
