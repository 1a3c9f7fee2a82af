import type { GitHub } from './call.ts';
import type { RunContext } from './context.ts';
import type { InProgress, Outcome } from './outcome.ts';

/** What a channel asks GitHub with. */
export interface Desk {
  readonly github: GitHub;
  readonly owner: string;
  readonly repo: string;
  readonly sha: string;
  readonly context: RunContext;
  /** Asks with patience; see `ask`. */
  readonly ask: <T>(attempt: (signal: AbortSignal, again: boolean) => Promise<T>) => Promise<T>;
  /** Keeps a value for the step that runs after the job, if this one is cut off. */
  readonly remember: (name: string, value: string) => void;
}

/** One place on GitHub where a run is told. Each method may throw GitHubError. */
export interface Channel {
  /** The input that asks for it. */
  readonly input: 'check-run' | 'commit-status' | 'comment' | 'environment';
  /** What the job has to be granted. */
  readonly permission: string;
  readonly begin: (desk: Desk) => Promise<void>;
  /** null where nothing is shown before the end. */
  readonly progress: ((desk: Desk, progress: InProgress) => Promise<void>) | null;
  readonly conclude: (desk: Desk, outcome: Outcome) => Promise<void>;
}
