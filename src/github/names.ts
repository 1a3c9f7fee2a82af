import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Wanted } from './wanted.ts';

/** What each channel goes by, so that no two gates of one run write over each other. */
export interface Names {
  readonly checkRun: string;
  readonly commitStatus: string;
  readonly environment: string;
  /** Of the comment; no person reads it. */
  readonly comment: string;
}

/**
 * The names that were asked for, with the values of the matrix as GitHub adds them to a job's name, and a number if a step before this one in
 * the same job has taken the name.
 *
 * @param folder the runner's temporary folder, which is emptied for each job
 */
export async function claimNames(
  wanted: Wanted,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<Names> {
  const { matrix, checkRun, commitStatus, environment } = wanted;
  const claim = async (kind: string, name: string) =>
    name === '' ? '' : claimName(kind, withMatrix(name, matrix), folder);
  const place = [env['GITHUB_WORKFLOW'] ?? '', env['GITHUB_JOB'] ?? ''].join(' / ');
  return {
    checkRun: await claim('check-run', checkRun),
    commitStatus: await claim('commit-status', commitStatus),
    // An environment is a thing of its own: two gates that deploy to it make two deployments of it.
    environment: wanted.isPlan ? '' : environment,
    comment: wanted.comment === 'never' ? '' : await claim('comment', environment === '' ? place : environment),
  };
}

/** `rollout (eu, production)`, unless the name says all of it already. */
export function withMatrix(name: string, values: readonly string[]): string {
  const missing = values.filter((value) => !name.includes(value));
  return missing.length === 0 ? name : `${name} (${values.join(', ')})`;
}

async function claimName(kind: string, name: string, folder: string): Promise<string> {
  const claims = path.join(folder, 'rollout-gate-names');
  await mkdir(claims, { recursive: true });
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name} ${count}`;
    const file = createHash('sha256').update(`${kind}/${candidate}`).digest('hex');
    if (await isFirst(path.join(claims, file))) return candidate;
  }
}

async function isFirst(file: string): Promise<boolean> {
  try {
    await writeFile(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
