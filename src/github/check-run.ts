import type { Channel, Desk } from './channel.ts';
import { createdId, idOf } from './ids.ts';
import type { LineAnnotation, Outcome } from './outcome.ts';

/** Source: REST API, "Create a check run": annotations a request, characters of a title. */
const BATCH = 50;
const LONGEST_TITLE = 255;

/**
 * A check run: in progress from the beginning, completed with the verdict. Annotations go in batches.
 *
 * @param left what a step that was cut off remembered of it; null if this step is the first
 */
export function checkRun(name: string, left: string | null): Channel {
  let id = idOf(left);
  let isTried = left !== null;

  async function open({ github, owner, repo, sha, context, ask, remember }: Desk): Promise<number> {
    const isSecond = isTried;
    isTried = true;
    const created = await ask(async (signal, again) => {
      const before = again || isSecond ? await find(signal) : null;
      if (before !== null) return before;
      const { data } = await github.request('POST /repos/{owner}/{repo}/check-runs', {
        owner,
        repo,
        name,
        head_sha: sha,
        external_id: context.id,
        details_url: context.link,
        status: 'in_progress',
        started_at: new Date().toISOString(),
        request: { signal },
      });
      return createdId(data);
    });
    id = created;
    remember('check-run', String(created));
    return created;

    async function find(signal: AbortSignal): Promise<number | null> {
      const { data } = await github.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
        owner,
        repo,
        ref: sha,
        check_name: name,
        filter: 'all',
        per_page: 100,
        request: { signal },
      });
      const found = data.check_runs.find((each) => each.external_id === context.id);
      return found === undefined ? null : createdId(found);
    }
  }

  return {
    input: 'check-run',
    permission: 'checks: write',
    begin: async (desk) => void (await open(desk)),
    progress: async ({ github, owner, repo, ask }, { title, summary }) => {
      const check_run_id = id;
      if (check_run_id === null) return;
      await ask((signal) =>
        github.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
          owner,
          repo,
          check_run_id,
          status: 'in_progress',
          output: { title: title.slice(0, LONGEST_TITLE), summary },
          request: { signal },
        }),
      );
    },
    conclude: async (desk, outcome) => {
      const check_run_id = id ?? (await open(desk));
      // Completed first: with half of the annotations the verdict still stands.
      for (const [index, body] of bodiesOf(outcome).entries()) {
        const ending = index === 0 ? endingOf(outcome) : {};
        const { github, owner, repo, ask } = desk;
        await ask((signal) =>
          github.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
            owner,
            repo,
            check_run_id,
            ...ending,
            output: body,
            request: { signal },
          }),
        );
      }
    },
  };
}

function endingOf({ conclusion }: Outcome) {
  return { status: 'completed' as const, conclusion, completed_at: new Date().toISOString() };
}

function bodiesOf({ title, summary, annotations }: Outcome) {
  const batches = Math.max(1, Math.ceil(annotations.length / BATCH));
  return Array.from({ length: batches }, (_, index) => ({
    title: title.slice(0, LONGEST_TITLE),
    summary,
    annotations: annotations.slice(index * BATCH, (index + 1) * BATCH).map(annotationOf),
  }));
}

function annotationOf({ level, title, message, file, line }: LineAnnotation) {
  return {
    path: file,
    start_line: line,
    end_line: line,
    annotation_level: level,
    title: title.slice(0, LONGEST_TITLE),
    message,
  };
}
