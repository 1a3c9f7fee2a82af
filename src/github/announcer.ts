import { ask, type GitHub, GitHubError } from './call.ts';
import type { Channel, Desk } from './channel.ts';
import { checkRun } from './check-run.ts';
import { comment } from './comment.ts';
import { commitStatus } from './commit-status.ts';
import type { RunContext } from './context.ts';
import { deployment } from './deployment.ts';
import type { Names } from './names.ts';
import type { InProgress, Outcome } from './outcome.ts';
import { remedyOf } from './refusal.ts';
import type { Wanted } from './wanted.ts';

/** Times in milliseconds. */
export interface Times {
  /** While the rollout goes on, nobody waits for GitHub. */
  readonly budgetMs: number;
  /** Before a request is sent for the second time. */
  readonly firstDelayMs: number;
  /** For all that is said at the end, together. */
  readonly endMs: number;
  /** The same when the runner is about to kill the step. */
  readonly cancelledMs: number;
  /** The least time between two updates. */
  readonly updateMs: number;
}

export const TIMES: Times = {
  budgetMs: 120_000,
  firstDelayMs: 500,
  endMs: 30_000,
  cancelledMs: 4_000,
  updateMs: 10_000,
};

/** Tells GitHub what becomes of a run. Nothing here ever fails the run: what GitHub refuses is one warning for each channel. */
export interface Announcer {
  /** @param compose called only when an update is due */
  readonly progress: (compose: () => InProgress) => void;
  readonly conclude: (outcome: Outcome) => Promise<void>;
}

export const SILENT: Announcer = { progress: () => undefined, conclude: async () => undefined };

export interface Outside {
  readonly github: GitHub;
  readonly context: RunContext;
  readonly warn: (text: string) => void;
  readonly remember: (name: string, value: string) => void;
  readonly times: Times;
}

/** What the step before this one, which was cut off, remembered; null if this is the first. */
export type Left = ((name: string) => string) | null;

export function channelsOf(wanted: Wanted, names: Names, left: Left): readonly Channel[] {
  return [
    ...(names.checkRun === '' ? [] : [checkRun(names.checkRun, left?.('check-run') ?? null)]),
    ...(names.commitStatus === '' ? [] : [commitStatus(names.commitStatus)]),
    ...(wanted.comment === 'never' ? [] : [comment(wanted.comment, names.comment)]),
    ...(names.environment === '' ? [] : [deployment(names.environment, left?.('deployment') ?? null)]),
  ];
}

/** @param isResumed whether a step that was cut off has begun already */
export function startAnnouncer(channels: readonly Channel[], outside: Outside, isResumed: boolean): Announcer {
  const over = new AbortController();
  const desk = openDesk(outside, over.signal);
  const lines = channels.map((channel) => openLine(channel, desk, outside));
  if (!isResumed) for (const line of lines) line.begin();
  return {
    progress: (compose) => {
      for (const line of lines) line.progress(compose);
    },
    conclude: async (outcome) => {
      const { endMs, cancelledMs } = outside.times;
      const limit = outcome.conclusion === 'cancelled' ? cancelledMs : endMs;
      const timer = setTimeout(() => over.abort(new Error('GitHub did not answer in time')), limit);
      await Promise.all(lines.map((line) => line.conclude(outcome)));
      clearTimeout(timer);
    },
  };
}

/** The commit may have to be asked for first: once, for all channels. */
function openDesk({ github, context, remember, times }: Outside, signal: AbortSignal): () => Promise<Desk> {
  const { owner, repo, pull } = context;
  const patient: Desk['ask'] = (attempt) => ask(attempt, { ...times, signal });
  let sha: Promise<string> | null = null;
  const commit = async (): Promise<string> => {
    if (context.sha !== null) return context.sha;
    const { data } = await patient((inner) =>
      github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
        owner,
        repo,
        pull_number: pull ?? 0,
        request: { signal: inner },
      }),
    );
    return data.head.sha;
  };
  return async () => {
    sha ??= commit();
    return { github, owner, repo, context, remember, ask: patient, sha: await sha };
  };
}

/** One channel, whose requests go one after another. */
function openLine(channel: Channel, desk: () => Promise<Desk>, { context, warn, times }: Outside) {
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;
  let isBusy = false;
  /** What GitHub answered last: it says more than that there was no time left to ask again. */
  let answered: GitHubError | null = null;
  let updatedAt = Number.NEGATIVE_INFINITY;

  /** What will not pass closes the channel; what may pass is tried again with the next thing to say, and told of only at the end. */
  async function attempt(work: (desk: Desk) => Promise<void>, isLast: boolean): Promise<void> {
    if (isClosed) return;
    isBusy = true;
    try {
      await work(await desk());
    } catch (error) {
      const isFinal = !(error instanceof GitHubError) || !error.refusal.isPassing;
      isClosed = isFinal;
      if (error instanceof GitHubError && error.refusal.status !== 0) answered = error;
      if (isFinal || isLast) warn(warningOf(channel, isFinal ? error : (answered ?? error), context));
    } finally {
      isBusy = false;
    }
  }

  function follow(work: (desk: Desk) => Promise<void>, isLast = false): Promise<void> {
    last = last.then(() => attempt(work, isLast));
    return last;
  }

  return {
    begin: () => void follow(channel.begin),
    progress: (compose: () => InProgress) => {
      const show = channel.progress;
      if (show === null || isBusy || isClosed || performance.now() - updatedAt < times.updateMs) return;
      updatedAt = performance.now();
      const text = compose();
      void follow((each) => show(each, text));
    },
    conclude: (outcome: Outcome) => follow((each) => channel.conclude(each, outcome), true),
  };
}

function warningOf({ input, permission }: Channel, error: unknown, context: RunContext): string {
  if (!(error instanceof GitHubError))
    return `${input}: GitHub could not be told: ${error instanceof Error ? error.message : String(error)}`;
  const { refusal } = error;
  const said = `${refusal.status === 0 ? '' : `${refusal.status} `}${refusal.message}`;
  return `${input}: GitHub could not be told: ${said}. ${remedyOf(refusal, permission, context)}; the rollout is judged all the same`;
}
