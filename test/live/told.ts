import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Marked } from 'marked';
import { type Fault, type LocalGitHub, type Request, startGitHub } from '../github/server.ts';
import { type GateRun, kubectl, type RunningGate, startGate } from './cluster.ts';

export const TOKEN = 'ghs_aTokenOfTheJobThatNobodyMaySee0000';
export const HEAD = '0123456789abcdef0123456789abcdef01234567';
export const LINK = 'https://github.com/acme/shop/actions/runs/42/job/77';

/** All that can be told of a run, as a workflow would ask for it. */
const TOLD = {
  'stable-for': '1s',
  'github-token': TOKEN,
  'check-run': 'rollout',
  'commit-status': 'rollout / live',
  comment: 'on-failure',
  environment: 'production',
  matrix: 'null',
  'job-id': '77',
};

/** Gives the test a GitHub of its own; every request to it has to be one that GitHub understands. */
export async function withGitHub(
  body: (hub: LocalGitHub) => Promise<void>,
  fault?: (request: Request) => Fault | null,
): Promise<void> {
  const hub = await startGitHub(fault);
  try {
    await body(hub);
    assert.deepEqual(hub.wrong, []);
  } finally {
    await hub.close();
  }
}

export interface ToldGate extends RunningGate {
  /** What the step has left so far for the one after the job. */
  readonly state: () => Promise<Readonly<Record<string, string>>>;
}

/**
 * Starts the bundle as a runner does in a job of a pull request.
 *
 * @param changed variables that differ, such as what an earlier step left for the one after the job
 */
export async function startTold(
  hub: LocalGitHub,
  manifest: string,
  inputs: Readonly<Record<string, string>> = {},
  changed: Readonly<Record<string, string>> = {},
): Promise<ToldGate> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rollout-gate-'));
  const [event, stateFile] = ['event.json', 'state'].map((name) => path.join(folder, name)) as [string, string];
  const pull = { number: 7, head: { sha: HEAD, repo: { full_name: 'acme/shop' } } };
  await Promise.all([writeFile(event, JSON.stringify({ pull_request: pull })), writeFile(stateFile, '')]);
  const variables = {
    GITHUB_API_URL: hub.url,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_RUN_ID: '42',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_WORKFLOW: 'Deploy',
    GITHUB_JOB: 'deploy',
    GITHUB_ACTION: '__self',
    GITHUB_SHA: 'f'.repeat(40),
    GITHUB_EVENT_PATH: event,
    GITHUB_STATE: stateFile,
    NO_PROXY: '127.0.0.1',
    ...changed,
  };
  const running = await startGate(manifest, { ...TOLD, ...inputs }, variables);
  return { ...running, state: async () => parseState(await readFile(stateFile, 'utf8')) };
}

export async function told(
  hub: LocalGitHub,
  manifest: string,
  inputs: Readonly<Record<string, string>> = {},
  changed: Readonly<Record<string, string>> = {},
): Promise<GateRun> {
  return (await startTold(hub, manifest, inputs, changed)).result;
}

/** Reads the runner's file of the step's state: `name<<delimiter`, lines, `delimiter`. */
function parseState(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/^([^\n<]+)<<(\S+)\n([\s\S]*?)\n?\2$/gm)];
  return Object.fromEntries(found.map((match) => [`STATE_${match[1]}`, match[3] ?? '']));
}

/** Waits for what comes soon, such as a request that nobody waits for. */
export async function soon(condition: () => boolean, what: string): Promise<void> {
  for (let left = 100; !condition(); left -= 1) {
    assert.ok(left > 0, `within five seconds: ${what}`);
    await sleep(50);
  }
}

/** What GitHub shows of the one run that it was told of. */
export function shown({ kept }: LocalGitHub) {
  assert.deepEqual([kept.checkRuns.size, kept.deployments.size <= 1], [1, true], 'one check run, one deployment');
  const [check] = kept.checkRuns.values();
  const [deployment] = kept.deployments.values();
  const output = (check?.['output'] ?? {}) as { readonly title?: string; readonly summary?: string };
  const last = kept.statuses.at(-1);
  return {
    check: [check?.['status'], check?.['conclusion']],
    head: check?.['head_sha'],
    title: output.title ?? '',
    summary: output.summary ?? '',
    annotations: (check?.annotations ?? []) as readonly Annotation[],
    statuses: kept.statuses.map((each) => each['state']),
    description: String(last?.['description']),
    deployment: deployment?.statuses.map((each) => each['state']) ?? [],
    logUrls: deployment?.statuses.map((each) => each['log_url']) ?? [],
    comments: [...kept.comments.values()].map((each) => each.body),
  };
}

export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly annotation_level: string;
  readonly title: string;
  readonly message: string;
}

/** What a page makes of Markdown, without what stands in code: nothing in there is ever live. */
export function live(markdown: string): string {
  const page = new Marked({ gfm: true, async: false }).parse(markdown) as string;
  return page.replace(/<code[^>]*>[\s\S]*?<\/code>/g, '<code/>');
}

/** The warnings of a run that say what GitHub did not take. */
export function warningsOf({ log }: GateRun): readonly string[] {
  return [...log.matchAll(/^::warning title=Rollout Gate::(.*GitHub.*)$/gm)].map((match) => match[1] ?? '');
}

/** A user with no right but these rules. @returns a kubeconfig */
export async function userWith(rules: readonly object[], namespace: string): Promise<string> {
  const metadata = { name: 'planner', namespace };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'planner' };
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion, kind: 'Role', metadata, rules },
    { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects: [{ kind: 'ServiceAccount', ...metadata }] },
  ];
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const token = (await kubectl(['create', 'token', 'planner', '-n', namespace])).trim();
  const config = JSON.parse(await kubectl(['config', 'view', '--raw', '--minify', '-o', 'json'])) as {
    readonly contexts: readonly { readonly context: { readonly user: string } }[];
  };
  return JSON.stringify({ ...config, users: [{ name: config.contexts[0]?.context.user, user: { token } }] });
}
