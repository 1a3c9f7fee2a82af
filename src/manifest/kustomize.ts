import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { KustomizationFolder } from './files.ts';

const run = promisify(execFile);

/** The programs that can render a kustomization, the standalone one first. Both are on GitHub's own runners. */
const PROGRAMS: readonly { readonly program: string; readonly args: readonly string[] }[] = [
  { program: 'kustomize', args: ['build'] },
  { program: 'kubectl', args: ['kustomize'] },
];

/**
 * Renders a kustomization with the first of the programs that is there.
 *
 * @returns the YAML, or a sentence on why there is none
 */
export async function renderKustomization(
  folder: KustomizationFolder,
): Promise<{ readonly yaml: string } | { readonly failure: string }> {
  for (const { program, args } of PROGRAMS) {
    try {
      const { stdout } = await run(program, [...args, folder.folder], {
        maxBuffer: 64 * 1024 * 1024,
        timeout: 120_000,
      });
      return { yaml: stdout };
    } catch (error) {
      const failed = error as { readonly code?: string | number; readonly stderr?: string; readonly message: string };
      if (failed.code === 'ENOENT') continue;
      const said = (failed.stderr ?? '').trim() || failed.message;
      return { failure: `${folder.file} cannot be rendered by ${program} ${args.join(' ')}: ${said}` };
    }
  }
  return {
    failure: `${folder.file} is a kustomization, and neither kustomize nor kubectl is installed to render it; install one, or name plain manifests`,
  };
}
