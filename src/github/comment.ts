import { createHash } from 'node:crypto';
import { GitHubError } from './call.ts';
import type { Channel, Desk } from './channel.ts';
import { createdId } from './ids.ts';
import type { Outcome } from './outcome.ts';

const FAILED: ReadonlySet<Outcome['conclusion']> = new Set(['failure', 'timed_out']);
/** Who may write in the repository, or speaks for a program in it; anybody else's comment is not ours, whatever it says. */
const TRUSTED: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
/** Pages of a hundred comments. */
const MOST_PAGES = 30;

/**
 * One comment on the pull request, found again by a mark and changed in place. With `on-failure` a success writes no new one, but turns an
 * earlier failure green.
 *
 * @param name what tells this comment from those of other gates
 */
export function comment(when: 'on-failure' | 'always', name: string): Channel {
  const mark = `<!-- rollout-gate ${createHash('sha256').update(name).digest('hex').slice(0, 16)} -->`;
  return {
    input: 'comment',
    permission: 'pull-requests: write',
    begin: async () => undefined,
    progress: null,
    conclude: async (desk, outcome) => {
      const number = desk.context.pull ?? (await pullOfCommit(desk));
      if (number === null) return;
      const body = `${mark}\n${outcome.summary}\n[The run](${desk.context.link}) on ${desk.sha.slice(0, 12)}\n`;
      const isNew = when === 'always' || FAILED.has(outcome.conclusion);
      const before = await findComment(desk, number, mark);
      if (before !== null && (await change(desk, before, body))) return;
      if (isNew) await create(desk, number, mark, body);
    },
  };
}

/** After a merge: the pull request that brought the commit. */
async function pullOfCommit({ github, owner, repo, sha, ask }: Desk): Promise<number | null> {
  const { data } = await ask((signal) =>
    github.request('GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls', {
      owner,
      repo,
      commit_sha: sha,
      request: { signal },
    }),
  );
  const exact = data.find((each) => each.merge_commit_sha === sha || each.head.sha === sha);
  return (exact ?? data[0])?.number ?? null;
}

async function findComment({ github, owner, repo, ask }: Desk, number: number, mark: string): Promise<number | null> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await ask((signal) =>
      github.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
        owner,
        repo,
        issue_number: number,
        per_page: 100,
        page,
        request: { signal },
      }),
    );
    const found = data.find(
      (each) =>
        each.body?.startsWith(mark) === true &&
        (each.user?.type === 'Bot' || TRUSTED.has(each.author_association ?? '')),
    );
    if (found !== undefined) return createdId(found);
    if (data.length < 100) return null;
  }
  return null;
}

/** @returns false if somebody has deleted it in the meantime */
async function change({ github, owner, repo, ask }: Desk, comment_id: number, body: string): Promise<boolean> {
  try {
    await ask((signal) =>
      github.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        owner,
        repo,
        comment_id,
        body,
        request: { signal },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof GitHubError && error.refusal.status === 404) return false;
    throw error;
  }
}

async function create(desk: Desk, number: number, mark: string, body: string): Promise<void> {
  const { github, owner, repo, ask } = desk;
  await ask(async (signal, again) => {
    if (again && (await findComment(desk, number, mark)) !== null) return;
    await github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      owner,
      repo,
      issue_number: number,
      body,
      request: { signal },
    });
  });
}
