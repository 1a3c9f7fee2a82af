import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { understand } from './openapi.ts';

type Body = Readonly<Record<string, unknown>>;

/** What GitHub keeps, as far as this project writes it. */
export interface Kept {
  readonly checkRuns: Map<number, Record<string, unknown> & { annotations: unknown[] }>;
  readonly statuses: (Body & { readonly sha: string })[];
  readonly comments: Map<number, { body: string; login: string; association: string; issue: number }>;
  readonly deployments: Map<number, Body & { readonly statuses: Body[] }>;
}

/** What goes wrong with one request. */
export interface Fault {
  /** 0: the connection is cut. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** Whether it is done all the same. */
  readonly isDone?: boolean;
  readonly delayMs?: number;
}

export interface Request {
  /** `POST /repos/{owner}/{repo}/check-runs` */
  readonly name: string;
  /** How often this was asked before. */
  readonly nth: number;
}

export interface LocalGitHub {
  readonly url: string;
  readonly kept: Kept;
  /** Every request by name, and every one that GitHub would not have understood. */
  readonly asked: readonly string[];
  readonly wrong: readonly string[];
  readonly close: () => Promise<void>;
}

/** What GitHub knows before: pull requests by number, and which of them brought which commit. */
export interface Known {
  readonly pulls?: Readonly<Record<number, { readonly head: string; readonly merge: string }>>;
}

/**
 * A GitHub on loopback that checks every request against GitHub's own description, keeps what it is told, and fails as it is told to.
 */
export async function startGitHub(
  fault: (request: Request) => Fault | null = () => null,
  known: Known = {},
): Promise<LocalGitHub> {
  const kept: Kept = { checkRuns: new Map(), statuses: [], comments: new Map(), deployments: new Map() };
  const asked: string[] = [];
  const wrong: string[] = [];
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://localhost');
    const text = await textOf(request);
    const body = text === '' ? undefined : (JSON.parse(text) as Body);
    const understood = understand(request.method ?? '', url, body);
    if (understood === null) {
      wrong.push(`${request.method} ${url.pathname}`);
      return reply(response, 404, { message: 'Not Found' });
    }
    const { name, params, problems } = understood;
    const nth = asked.filter((each) => each === name).length;
    asked.push(name);
    if (problems.length > 0) {
      wrong.push(`${name}: ${problems.join('; ')}`);
      return reply(response, 422, { message: 'Validation Failed', errors: problems });
    }
    const found = fault({ name, nth });
    const done = found === null || found.isDone === true ? carryOut(name, params, url, body ?? {}, kept, known) : null;
    await sleep(found?.delayMs ?? 0, undefined, { ref: false });
    if (found?.status === 0) return void request.socket.destroy();
    if (found !== null && found.status !== 200)
      return reply(response, found.status, { message: found.message ?? 'trouble' }, found.headers);
    const { status, data } = done ?? { status: 500, data: { message: 'nothing was done' } };
    reply(response, status, data);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    kept,
    asked,
    wrong,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}

function reply(
  response: ServerResponse,
  status: number,
  data: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(data));
}

interface Answer {
  readonly status: number;
  readonly data: unknown;
}

const NOT_FOUND: Answer = { status: 404, data: { message: 'Not Found' } };

function carryOut(
  name: string,
  params: Readonly<Record<string, string>>,
  url: URL,
  body: Body,
  kept: Kept,
  known: Known,
): Answer {
  const route = name.replace('/repos/{owner}/{repo}', '');
  switch (route) {
    case 'POST /check-runs': {
      const id = kept.checkRuns.size + 1;
      kept.checkRuns.set(id, { ...body, id, annotations: [] });
      return { status: 201, data: { id } };
    }
    case 'PATCH /check-runs/{check_run_id}':
      return changeCheckRun(Number(params['check_run_id']), body, kept);
    case 'GET /commits/{ref}/check-runs': {
      const runs = [...kept.checkRuns.values()].filter((each) => each['name'] === url.searchParams.get('check_name'));
      return { status: 200, data: { total_count: runs.length, check_runs: runs } };
    }
    case 'POST /statuses/{sha}':
      kept.statuses.push({ ...body, sha: params['sha'] ?? '' });
      return { status: 201, data: { id: kept.statuses.length } };
    case 'GET /commits/{commit_sha}/pulls':
      return { status: 200, data: pullsOf(known).filter((each) => hasCommit(each, params['commit_sha'] ?? '')) };
    case 'GET /pulls/{pull_number}': {
      const pull = pullsOf(known).find((each) => each.number === Number(params['pull_number']));
      return pull === undefined ? NOT_FOUND : { status: 200, data: pull };
    }
    default:
      return route.includes('comments')
        ? carryOutComment(route, params, url, body, kept)
        : carryOutDeployment(route, params, url, body, kept);
  }
}

function changeCheckRun(id: number, body: Body, kept: Kept): Answer {
  const run = kept.checkRuns.get(id);
  if (run === undefined) return NOT_FOUND;
  const { output, ...rest } = body;
  const { annotations = [], ...texts } = (output ?? {}) as { readonly annotations?: readonly unknown[] };
  Object.assign(run, rest, { output: texts });
  run.annotations.push(...annotations);
  return { status: 200, data: { id } };
}

function pullsOf({ pulls = {} }: Known) {
  return Object.entries(pulls).map(([number, { head, merge }]) => ({
    number: Number(number),
    head: { sha: head },
    merge_commit_sha: merge,
  }));
}

function hasCommit(pull: ReturnType<typeof pullsOf>[number], sha: string): boolean {
  return pull.head.sha === sha || pull.merge_commit_sha === sha;
}

function carryOutComment(
  route: string,
  params: Readonly<Record<string, string>>,
  url: URL,
  body: Body,
  { comments }: Kept,
): Answer {
  const text = String(body['body']);
  if (route.startsWith('POST')) {
    const id = comments.size + 1;
    comments.set(id, {
      body: text,
      login: 'github-actions[bot]',
      association: 'NONE',
      issue: Number(params['issue_number']),
    });
    return { status: 201, data: { id } };
  }
  if (route.startsWith('PATCH')) {
    const comment = comments.get(Number(params['comment_id']));
    if (comment === undefined) return NOT_FOUND;
    comment.body = text;
    return { status: 200, data: { id: Number(params['comment_id']) } };
  }
  const page = Number(url.searchParams.get('page') ?? 1);
  const size = Number(url.searchParams.get('per_page') ?? 30);
  const all = [...comments]
    .filter(([, { issue }]) => issue === Number(params['issue_number']))
    .map(([id, { body: words, login, association }]) => ({
      id,
      body: words,
      user: { login, type: login.endsWith('[bot]') ? 'Bot' : 'User' },
      author_association: association,
    }));
  return { status: 200, data: all.slice((page - 1) * size, page * size) };
}

function carryOutDeployment(
  route: string,
  params: Readonly<Record<string, string>>,
  url: URL,
  body: Body,
  { deployments }: Kept,
): Answer {
  if (route.endsWith('/statuses')) {
    const found = deployments.get(Number(params['deployment_id']));
    if (found === undefined) return NOT_FOUND;
    found.statuses.push(body);
    return { status: 201, data: { id: found.statuses.length } };
  }
  if (route.startsWith('POST')) {
    const id = deployments.size + 1;
    deployments.set(id, { ...body, id, statuses: [] });
    return { status: 201, data: { id } };
  }
  const environment = url.searchParams.get('environment');
  return { status: 200, data: [...deployments.values()].filter((each) => each['environment'] === environment) };
}
