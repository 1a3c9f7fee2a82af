import { shortName } from './kubernetes.ts';
import type { Manifest } from './manifest/document.ts';
import { readManifest } from './manifest/read.ts';
import type { Options } from './options.ts';
import { GateError } from './problem.ts';
import { overrideProblems } from './stall/override.ts';
import type { Secrets } from './text/secrets.ts';

/**
 * What is asked for, as far as it can be known without the cluster: the manifest, its secrets learnt, its own terms checked.
 *
 * @throws GateError with every problem on its line
 */
export async function readContract(options: Options, workspace: string, secrets: Secrets): Promise<Manifest> {
  const manifest = await readManifest(options, workspace);
  learnSecrets(manifest, secrets);
  checkOverrides(manifest);
  return manifest;
}

/** Values of the manifest's own Secrets must not come back out of the cluster by way of a log or a message. */
function learnSecrets(manifest: Manifest, secrets: Secrets): void {
  for (const { object } of manifest.documents) {
    if (object.kind !== 'Secret' || object.apiVersion !== 'v1') continue;
    const texts = (field: string) =>
      Object.values((object[field] ?? {}) as Readonly<Record<string, unknown>>).filter(
        (value) => typeof value === 'string',
      );
    for (const value of texts('stringData')) secrets.add(value);
    for (const value of texts('data')) secrets.add(Buffer.from(value, 'base64').toString('utf8'));
  }
}

/** The annotations by which workloads set their own terms. */
function checkOverrides(manifest: Manifest): void {
  const problems = manifest.documents.flatMap(({ object, ref, source }) =>
    overrideProblems(object).map(({ annotation, message }) => ({
      message: `${shortName(ref)}: annotation ${annotation}: ${message}`,
      position: source.at(['metadata', 'annotations', annotation]),
    })),
  );
  if (problems.length > 0) throw new GateError(problems);
}
