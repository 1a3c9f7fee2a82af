import { execFileSync } from 'node:child_process';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { splitDocuments } from '../../src/manifest/split.ts';

/** Whether kubectl is there to compare with. */
export const hasKubectl = ((): boolean => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const MARK = 'read-by.kubectl';

/**
 * The objects of files as kubectl itself reads them, in order. `annotate --local` is the one command that decodes any kind, asks no server
 * and converts nothing; the annotation that it adds is taken off again.
 */
export function readByKubectl(files: readonly string[]): readonly KubernetesObject[] {
  const named = files.flatMap((file) => ['-f', file]);
  const printed = execFileSync('kubectl', ['annotate', '--local', ...named, `${MARK}=yes`, '-o', 'json'], {
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
  });
  return splitDocuments(printed).map((slice) => withoutMark(JSON.parse(printed.slice(slice.start, slice.end))));
}

type Loose = { metadata: { annotations?: Record<string, unknown> } };

function withoutMark(object: KubernetesObject): KubernetesObject {
  const { annotations } = (object as unknown as Loose).metadata;
  delete annotations?.[MARK];
  return object;
}

/** Without annotations that are empty or null: kubectl's annotation makes them appear, or takes their place. */
export function comparable(object: KubernetesObject): unknown {
  const copy = JSON.parse(JSON.stringify(object)) as Loose;
  if (Object.keys(copy.metadata.annotations ?? {}).length === 0) delete copy.metadata.annotations;
  return copy;
}
