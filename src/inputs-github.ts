import { NOTHING_WANTED, type Wanted } from './github/wanted.ts';
import { createReader, type GetInput, oneOf, type Read } from './input-reader.ts';

/** Longer names are cut by GitHub's pages. */
const LONGEST_NAME = 100;

/** What to tell on GitHub, read for itself: also a run whose other inputs are refused says so there. */
export function readWanted(get: GetInput): { readonly wanted: Wanted; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const read = createReader(get, problems);
  const wanted: Wanted = {
    // Never part of a message: it is secret.
    token: get('github-token').trim(),
    checkRun: read('check-run', parseName, ''),
    commitStatus: read('commit-status', parseName, ''),
    comment: read('comment', oneOf(['never', 'on-failure', 'always'] as const), 'never'),
    environment: read('environment', parseName, ''),
    isPlan: get('mode').trim() === 'plan',
    matrix: read('matrix', parseMatrix, []),
    jobId: read('job-id', parseJobId, ''),
  };
  return { wanted: problems.length === 0 ? wanted : { ...NOTHING_WANTED, token: wanted.token }, problems };
}

function parseName(text: string): Read<string> {
  if (text.length <= LONGEST_NAME && /^\P{Cc}+$/u.test(text)) return { value: text };
  return { problem: `use a name of one line and up to ${LONGEST_NAME} characters` };
}

/** The values of the expression `toJSON(matrix)`; `null` where the job has no matrix. */
function parseMatrix(text: string): Read<readonly string[]> {
  try {
    const matrix: unknown = JSON.parse(text);
    if (typeof matrix === 'object') return { value: scalars(matrix) };
  } catch {
    // Told below.
  }
  return { problem: 'leave it out: its default is what it is for' };
}

function scalars(value: unknown): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'object') return Object.values(value).flatMap(scalars);
  return [String(value)];
}

function parseJobId(text: string): Read<string> {
  return /^\d+$/.test(text) ? { value: text } : { problem: 'leave it out: its default is what it is for' };
}
