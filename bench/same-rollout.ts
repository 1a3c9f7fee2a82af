import { gate, gateCommand, kubectlWatchCommand, peer } from './programs.ts';
import { healthy, inNamespace } from './scene.ts';
import { median, type Row, spread } from './table.ts';

/**
 * The gate applies, and `kubectl rollout status` follows the very same rollout, so that the moment at which the pods become ready is no part of
 * the difference.
 */
export async function sameRollout(rounds: number): Promise<Row> {
  const later: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await inNamespace(async (namespace) => {
      const watching = peer(await kubectlWatchCommand(namespace), true, /successfully rolled out/);
      const ours = await gate(await gateCommand(healthy(namespace)), 'succeeded', /ready: succeeded/);
      const theirs = await watching;
      later.push((ours.printedAt ?? Number.NaN) - (theirs.printedAt ?? Number.NaN));
    });
  }
  return {
    measure: `success said by the gate after \`kubectl rollout status\` said it of the same rollout, median of ${rounds}`,
    gate: spread(later, 'ms', 0),
    aim: { text: "no later than kubectl's", reached: median(later) <= 0 },
  };
}
