import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { KustomizationFolder } from './files.ts';
import { MOST_BYTES } from './text.ts';

const run = promisify(execFile);

/** The programs that can render a kustomization, the standalone one first. Both are on GitHub's own runners. */
const PROGRAMS: readonly { readonly program: string; readonly args: readonly string[] }[] = [
  { program: 'kustomize', args: ['build'] },
  { program: 'kubectl', args: ['kustomize'] },
];

/** Remote bases are cloned meanwhile. */
const TIMEOUT_MS = 120_000;

/**
 * Renders a kustomization with the first of the programs that is there.
 *
 * @returns the YAML, or a sentence on why there is none
 */
export async function renderKustomization({
  folder,
  file,
}: KustomizationFolder): Promise<{ readonly yaml: string } | { readonly failure: string }> {
  for (const { program, args } of PROGRAMS) {
    try {
      const { stdout } = await run(program, [...args, folder], {
        maxBuffer: MOST_BYTES,
        timeout: TIMEOUT_MS,
        env: withoutInputs(process.env),
      });
      return { yaml: stdout };
    } catch (error) {
      const why = failureOf(error);
      if (why !== null) return { failure: `${file} cannot be rendered by "${program} ${args.join(' ')}": ${why}` };
    }
  }
  return {
    failure: `${file} is a kustomization, and neither kustomize nor kubectl is on the PATH to render it; install one of them, or name plain manifests`,
  };
}

/** The inputs hold a kubeconfig; what kustomize starts or clones has no use for it. */
function withoutInputs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('INPUT_')));
}

/** null if the program is not there. */
function failureOf(error: unknown): string | null {
  const failed = error as {
    readonly code?: string | number;
    readonly killed?: boolean;
    readonly stderr?: string;
    readonly message: string;
  };
  if (failed.code === 'ENOENT') return null;
  if (failed.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `it printed more than ${MOST_BYTES / 1024 / 1024} MiB; deploy in several steps`;
  if (failed.killed === true) return `it did not end within ${TIMEOUT_MS / 1000} seconds`;
  return (failed.stderr ?? '').trim() || failed.message;
}
