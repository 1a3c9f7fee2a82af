import type { Channel, Desk } from './channel.ts';
import type { Outcome } from './outcome.ts';

/** A superseded rollout failed nobody, and a cancelled one is not known to have. */
const STATES = {
  success: 'success',
  neutral: 'success',
  failure: 'failure',
  timed_out: 'failure',
  cancelled: 'error',
} as const satisfies Record<Outcome['conclusion'], string>;

/** A status of the commit, under a context of its own: pending, then what came of it. The same status twice does no harm. */
export function commitStatus(name: string): Channel {
  const set = ({ github, owner, repo, sha, context, ask }: Desk, state: Status, description: string) =>
    ask((signal) =>
      github.request('POST /repos/{owner}/{repo}/statuses/{sha}', {
        owner,
        repo,
        sha,
        state,
        context: name,
        description,
        target_url: context.link,
        request: { signal },
      }),
    );
  return {
    input: 'commit-status',
    permission: 'statuses: write',
    begin: async (desk) => void (await set(desk, 'pending', 'Following the rollout')),
    progress: null,
    conclude: async (desk, outcome) => void (await set(desk, STATES[outcome.conclusion], outcome.description)),
  };
}

type Status = 'pending' | (typeof STATES)[keyof typeof STATES];
