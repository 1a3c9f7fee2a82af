import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as core from '@actions/core';
import { type Announcer, channelsOf, SILENT, startAnnouncer, TIMES } from './github/announcer.ts';
import { readContext } from './github/context.ts';
import { claimNames, type Names } from './github/names.ts';
import { type Wanted, wantsAnything } from './github/wanted.ts';
import { warn } from './progress-log.ts';
import type { Secrets } from './text/secrets.ts';

/** What is remembered for the step after the job, by these names. */
const NAMES = 'github-names';
const ID = 'github-id';

/**
 * Begins to tell GitHub of this run, without waiting for an answer; or, in the step after the job, goes on where the main step was cut off.
 *
 * @returns what says nothing where nothing is wanted or there is no GitHub; never throws
 */
export async function announce(
  wanted: Wanted,
  env: NodeJS.ProcessEnv,
  secrets: Secrets,
  isResumed: boolean,
): Promise<Announcer> {
  if (!wantsAnything(wanted)) return SILENT;
  const say = (text: string) => warn(text, secrets);
  try {
    secrets.add(wanted.token);
    const context = readContext(env, await readEvent(env['GITHUB_EVENT_PATH']), wanted.jobId);
    if (context === null)
      return silent('this is no run of GitHub Actions: GITHUB_REPOSITORY and GITHUB_RUN_ID are not set', say);
    if (context.sha === null && context.pull === null) return silent('no commit is known: GITHUB_SHA is not set', say);
    if (wanted.token === '') return silent('the input github-token is empty', say);
    const names = isResumed ? rememberedNames() : await claimNames(wanted, env, env['RUNNER_TEMP'] ?? tmpdir());
    if (names === null) return SILENT;
    const { id } = context;
    if (!isResumed) {
      core.saveState(NAMES, JSON.stringify(names));
      core.saveState(ID, id);
    }
    // Loaded only where it is used: it reads the event at once, and most runs need none of it.
    const { getOctokit } = await import('@actions/github');
    const outside = {
      github: getOctokit(wanted.token, { userAgent: 'rollout-gate', log: QUIET }),
      context: isResumed ? { ...context, id: core.getState(ID) } : context,
      warn: say,
      remember: core.saveState,
      times: TIMES,
    };
    return startAnnouncer(channelsOf(wanted, names, isResumed ? core.getState : null), outside, isResumed);
  } catch (error) {
    return silent(error instanceof Error ? error.message : String(error), say);
  }
}

const nothing = () => undefined;
/** octokit would write deprecations and failures to the log by itself. */
const QUIET = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function silent(why: string, say: (text: string) => void): Announcer {
  say(`GitHub is not told of this run: ${why}`);
  return SILENT;
}

function rememberedNames(): Names | null {
  const text = core.getState(NAMES);
  return text === '' ? null : (JSON.parse(text) as Names);
}

async function readEvent(file: string | undefined): Promise<unknown> {
  if (file === undefined || file === '') return {};
  return JSON.parse(await readFile(file, 'utf8'));
}
