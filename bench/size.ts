import { stat } from 'node:fs/promises';
import { BUNDLE } from './programs.ts';
import type { Row } from './table.ts';

const AIM_BYTES = 1.5e6;

/** The one file that runs. */
export async function size(): Promise<readonly Row[]> {
  const { size: bytes } = await stat(BUNDLE);
  const aim = { text: '< 1.5 MB', reached: bytes < AIM_BYTES };
  return [{ measure: 'size of the bundle, one file', gate: `${(bytes / 1e6).toFixed(2)} MB`, aim }];
}
