import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Manifest } from '../../src/manifest/document.ts';
import { readManifest } from '../../src/manifest/read.ts';
import type { ImageOverride } from '../../src/options.ts';
import { GateError } from '../../src/problem.ts';

/** A folder with these files, gone after the test. */
export async function workspaceWith(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'rollout-gate-manifest-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

/** Reads all the files of a new workspace, or the entries named. */
export async function readFrom(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
  entries: readonly string[] = Object.keys(files),
  images: readonly ImageOverride[] = [],
): Promise<Manifest> {
  return readManifest({ manifests: entries, images }, await workspaceWith(t, files));
}

/** Each problem as `file:line: message`; the place is left out where there is none. */
export async function problemsOf(reading: Promise<unknown>): Promise<readonly string[]> {
  try {
    await reading;
  } catch (error) {
    assert.ok(error instanceof GateError, String(error));
    return error.problems.map(({ message, position }) =>
      position === null ? message : `${position.file}:${position.line}: ${message}`,
    );
  }
  assert.fail('nothing was refused');
}

/** A ConfigMap's manifest. */
export function configMap(name: string, more = ''): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
}
