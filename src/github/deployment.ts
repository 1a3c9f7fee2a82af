import type { Channel, Desk } from './channel.ts';
import { createdId, idOf } from './ids.ts';
import type { Outcome } from './outcome.ts';

/** Source: REST API, "Create a deployment status". A superseded deployment is not the one that runs. */
const STATES = {
  success: 'success',
  neutral: 'inactive',
  failure: 'failure',
  timed_out: 'failure',
  cancelled: 'error',
} as const satisfies Record<Outcome['conclusion'], string>;

/**
 * A GitHub Deployment of an environment, in progress and then with what came of it. Checks of the commit are not waited for: whoever
 * starts the job has decided that.
 *
 * @param left what a step that was cut off remembered of it; null if this step is the first
 */
export function deployment(environment: string, left: string | null): Channel {
  let id = idOf(left);
  let isTried = left !== null;

  async function open({ github, owner, repo, sha, context, ask, remember }: Desk): Promise<number> {
    const isSecond = isTried;
    isTried = true;
    const created = await ask(async (signal, again) => {
      const before = again || isSecond ? await find(signal) : null;
      if (before !== null) return before;
      const { data } = await github.request('POST /repos/{owner}/{repo}/deployments', {
        owner,
        repo,
        ref: sha,
        environment,
        auto_merge: false,
        required_contexts: [],
        payload: { id: context.id },
        description: 'Followed by Rollout Gate',
        request: { signal },
      });
      return createdId(data);
    });
    id = created;
    remember('deployment', String(created));
    return created;

    async function find(signal: AbortSignal): Promise<number | null> {
      const { data } = await github.request('GET /repos/{owner}/{repo}/deployments', {
        owner,
        repo,
        sha,
        environment,
        per_page: 100,
        request: { signal },
      });
      const found = data.find(({ payload }) => payloadId(payload) === context.id);
      return found === undefined ? null : createdId(found);
    }
  }

  async function setState(desk: Desk, deployment_id: number, state: State, description: string): Promise<void> {
    const { github, owner, repo, context, ask } = desk;
    await ask((signal) =>
      github.request('POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses', {
        owner,
        repo,
        deployment_id,
        state,
        description,
        log_url: context.link,
        request: { signal },
      }),
    );
  }

  return {
    input: 'environment',
    permission: 'deployments: write',
    begin: async (desk) => setState(desk, await open(desk), 'in_progress', 'Following the rollout'),
    progress: null,
    conclude: async (desk, { conclusion, description }) =>
      setState(desk, id ?? (await open(desk)), STATES[conclusion], description),
  };
}

type State = 'in_progress' | (typeof STATES)[keyof typeof STATES];

/** GitHub gives a payload back as it was sent, or as text. */
function payloadId(payload: unknown): unknown {
  if (typeof payload !== 'string') return (payload as { readonly id?: unknown } | null)?.id;
  return payload.includes('"id"') ? (JSON.parse(payload) as { readonly id?: unknown }).id : undefined;
}
