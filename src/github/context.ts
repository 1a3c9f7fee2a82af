/** Where on GitHub a run belongs. */
export interface RunContext {
  readonly owner: string;
  readonly repo: string;
  /** The commit that a person looks at; null if only a request can tell it (see `pull`). */
  readonly sha: string | null;
  /** The number of the pull request that the event is about; null if it is about none. */
  readonly pull: number | null;
  /** Whether that pull request comes from a fork: its token may only read. */
  readonly isFork: boolean;
  /** The page of the job, or of the run where the job is not known. */
  readonly link: string;
  /** The same for no two attempts, jobs or steps. */
  readonly id: string;
}

/**
 * Reads the runner's variables and the event. The commit is the head of the pull request, not the merge commit that `GITHUB_SHA` is for its
 * events, and the commit of the run that a `workflow_run` follows, not the tip of the default branch.
 *
 * @param event the parsed file of `GITHUB_EVENT_PATH`
 * @returns null outside of GitHub
 * Source: GitHub Docs, "Events that trigger workflows" and "Variables reference".
 */
export function readContext(
  env: Readonly<Record<string, string | undefined>>,
  event: unknown,
  jobId: string,
): RunContext | null {
  const [owner, repo] = (env['GITHUB_REPOSITORY'] ?? '').split('/');
  const runId = env['GITHUB_RUN_ID'];
  if (owner === undefined || owner === '' || repo === undefined || runId === undefined) return null;
  const attempt = env['GITHUB_RUN_ATTEMPT'] ?? '1';
  const run = `${env['GITHUB_SERVER_URL'] ?? 'https://github.com'}/${owner}/${repo}/actions/runs/${runId}`;
  return {
    owner,
    repo,
    sha: commitOf(event) ?? (isCommentOnPull(event) ? null : (env['GITHUB_SHA'] ?? null)),
    pull: pullOf(event),
    isFork: isFork(event, `${owner}/${repo}`),
    link: /^\d+$/.test(jobId) ? `${run}/job/${jobId}` : `${run}/attempts/${attempt}`,
    id: [runId, attempt, env['GITHUB_JOB'] ?? '', env['GITHUB_ACTION'] ?? ''].join('/'),
  };
}

/** Where each event has the commit that it is about. */
const COMMITS: readonly (readonly string[])[] = [
  ['pull_request', 'head', 'sha'],
  ['workflow_run', 'head_sha'],
  ['merge_group', 'head_sha'],
  ['check_run', 'head_sha'],
  ['check_suite', 'head_sha'],
  ['deployment', 'sha'],
];

function commitOf(event: unknown): string | null {
  const found = COMMITS.map((path) => at(event, path)).find((sha) => typeof sha === 'string' && sha !== '');
  return typeof found === 'string' ? found : null;
}

function isCommentOnPull(event: unknown): boolean {
  return at(event, ['issue', 'pull_request']) !== undefined;
}

function pullOf(event: unknown): number | null {
  const candidates = [
    at(event, ['pull_request', 'number']),
    isCommentOnPull(event) ? at(event, ['issue', 'number']) : undefined,
    at(event, ['workflow_run', 'pull_requests', '0', 'number']),
    at(event, ['check_run', 'pull_requests', '0', 'number']),
    at(event, ['check_suite', 'pull_requests', '0', 'number']),
  ];
  const found = candidates.find((each) => typeof each === 'number');
  return typeof found === 'number' ? found : null;
}

/** A deleted fork has no repository any more. */
function isFork(event: unknown, repository: string): boolean {
  if (at(event, ['pull_request', 'head']) === undefined) return false;
  return at(event, ['pull_request', 'head', 'repo', 'full_name']) !== repository;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, unknown>>)[key] : undefined,
    value,
  );
}
