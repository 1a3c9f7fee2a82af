import type { Recording, RecordingLine } from '../../src/cluster/recording.ts';

/** A request of the recorded run with its answer. */
export type Exchange = Extract<RecordingLine, { readonly request: unknown }>;

/** The moments at which the recorded run set out to change something, ascending. */
export function gatesOf(recording: Recording): readonly number[] {
  const changes = recording.lines.filter((line): line is Exchange => 'request' in line && isChange(line));
  return changes.map(gateOf).sort((a, b) => a - b);
}

/** When the request was sent: a watch may show what it did before its answer arrives. */
export function gateOf({ at, took }: Exchange): number {
  return Math.max(0, at - took);
}

/** Whether the request changed the cluster: no read, no dry run, no question of rights, no refusal. */
export function isChange({ request, status }: Exchange): boolean {
  const asks =
    request.method === 'GET' ||
    request.query['dryRun'] === 'All' ||
    request.path.startsWith('/apis/authorization.k8s.io/');
  return !asks && status < 400;
}
