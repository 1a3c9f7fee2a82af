import type { Connection } from './cluster/connect.ts';
import type { Journey } from './journey.ts';
import { recordProof } from './ledger/prove.ts';
import type { Plan } from './plan/planned.ts';
import { say } from './progress-log.ts';
import type { Report } from './report/report.ts';
import { finishInterrupted } from './rollback/interrupted.ts';
import { missingRights, rightsOfRollback, textOf } from './rollback/rights.ts';
import type { Secrets } from './text/secrets.ts';

/** What one run leaves to the next, and who this run is. */
interface Outside {
  readonly run: string;
  readonly secrets: Secrets;
}

/** Before anything else is judged or changed: brings a rollback to its end that an earlier run was killed in. */
export async function finishEarlier(
  connection: Connection,
  { run, secrets }: Outside,
  journey: Journey,
): Promise<void> {
  const { mode, onStall, ledger, fieldManager, namespace } = journey.options;
  if (mode !== 'deploy' || onStall !== 'rollback') return;
  const fallback = namespace || connection.namespace;
  const named = (journey.manifest?.documents ?? []).map((each) => each.object.metadata.namespace ?? fallback);
  const told = await finishInterrupted(new Set(named), { api: connection, ledger, fieldManager, run });
  tell(told, secrets, journey);
}

/** Before the apply: whether what a rollback would need is allowed, so that nobody finds out at the worst moment. */
export async function foreseeRollback(
  planned: Plan,
  connection: Connection,
  { secrets }: Outside,
  journey: Journey,
): Promise<void> {
  const { onStall, ledger } = journey.options;
  if (onStall !== 'rollback') return;
  const made = planned.objects
    .filter((each) => each.action === 'create')
    .map(({ ref, resource }) => ({ ...ref, plural: resource.plural }));
  const namespaces = new Set(planned.objects.map(({ ref }) => ref.namespace).filter((each) => each !== ''));
  const missing = await missingRights(rightsOfRollback(made, namespaces, ledger), connection);
  if (missing.length === 0) return;
  const text = `A rollback could not do all of its work: the user may not ${missing.map(textOf).join(', ')}. See docs/rights.md of Rollout Gate`;
  tell([text], secrets, journey);
}

/** After a success: writes down what was seen to work, so that a later run can go back to it. */
export async function keepProof(
  report: Report,
  connection: Connection,
  { run, secrets }: Outside,
  journey: Journey,
): Promise<Report> {
  const { mode, onStall, ledger } = journey.options;
  if (mode !== 'deploy' || onStall !== 'rollback' || report.verdict !== 'succeeded') return report;
  tell(await recordProof(journey.applied, { api: connection, name: ledger, run }), secrets, journey);
  return { ...report, notices: [...journey.notices] };
}

function tell(texts: readonly string[], secrets: Secrets, journey: Journey): void {
  for (const text of texts) {
    journey.notices.add(text);
    say(text, secrets);
  }
}
