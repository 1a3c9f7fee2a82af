/** What the inputs ask to be told on GitHub, besides the job summary and the annotations that need no rights. */
export interface Wanted {
  /** Secret. */
  readonly token: string;
  /** The name of a check run; empty: none. */
  readonly checkRun: string;
  /** The context of a commit status; empty: none. */
  readonly commitStatus: string;
  readonly comment: 'never' | 'on-failure' | 'always';
  /** The environment of a deployment; empty: none. Comments are kept apart by it as well. */
  readonly environment: string;
  /** A run that only plans deploys nothing. */
  readonly isPlan: boolean;
  /** The values that tell this job of a matrix from the others. */
  readonly matrix: readonly string[];
  /** The ID of the job's own check run, which is part of the job's address; empty if the runner does not say. */
  readonly jobId: string;
}

/** What nothing is asked of. */
export const NOTHING_WANTED: Wanted = {
  token: '',
  checkRun: '',
  commitStatus: '',
  comment: 'never',
  environment: '',
  isPlan: false,
  matrix: [],
  jobId: '',
};

export function wantsAnything(wanted: Wanted): boolean {
  const { checkRun, commitStatus, comment, environment, isPlan } = wanted;
  return checkRun !== '' || commitStatus !== '' || comment !== 'never' || (environment !== '' && !isPlan);
}
