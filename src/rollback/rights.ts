import type { Api } from '../cluster/api.ts';
import { groupOf } from '../kubernetes.ts';
import { DATA_KINDS } from './plan.ts';

/** One right, as a Role would give it. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  /** Empty: for any object. */
  readonly name: string;
}

/** Source: Kubernetes API reference, authorization.k8s.io/v1 ResourceRule; `*` stands for all. */
interface Rule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** An object that the run will make, as far as its removal matters. */
export interface ToBeMade {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespace: string;
}

/** What a rollback needs besides what the apply needs itself: the ledger, and the removal of what this run makes. */
export function rightsOfRollback(
  made: readonly ToBeMade[],
  namespaces: Iterable<string>,
  ledger: string,
): readonly Right[] {
  const removals = made
    .filter(({ apiVersion, kind, namespace }) => namespace !== '' && !DATA_KINDS.has(`${groupOf(apiVersion)}/${kind}`))
    .map(({ apiVersion, plural, namespace }) => ({
      verb: 'delete',
      group: groupOf(apiVersion),
      resource: plural,
      namespace,
      name: '',
    }));
  const secrets = (ledger === '' ? [] : [...namespaces]).flatMap((namespace) =>
    ['get', 'create', 'update'].map((verb) => ({
      verb,
      group: '',
      resource: 'secrets',
      namespace,
      name: verb === 'create' ? '' : ledger,
    })),
  );
  return [...secrets, ...removals];
}

/** Which of the rights the user does not have. What the server cannot say for certain counts as given. @throws GateError if no server answers */
export async function missingRights(rights: readonly Right[], api: Api): Promise<readonly Right[]> {
  const missing: Right[] = [];
  for (const [namespace, wanted] of Map.groupBy(rights, (each) => each.namespace)) {
    const rules = await rulesIn(namespace, api);
    if (rules !== null) missing.push(...wanted.filter((right) => !rules.some((rule) => allows(rule, right))));
  }
  return missing.filter((each, index) => missing.findIndex((other) => textOf(other) === textOf(each)) === index);
}

export function textOf({ verb, group, resource, namespace, name }: Right): string {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${name === '' ? '' : ` "${name}"`} in ${namespace}`;
}

/** null: the server does not know all of them (an authorizer that cannot list its rules). */
async function rulesIn(namespace: string, api: Api): Promise<readonly Rule[] | null> {
  const answer = await api.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } },
  });
  if (!answer.ok) return null;
  const { status } = answer.body as {
    readonly status?: { readonly incomplete?: boolean; readonly resourceRules?: readonly Rule[] };
  };
  return status === undefined || status.incomplete === true ? null : (status.resourceRules ?? []);
}

function allows(rule: Rule, { verb, group, resource, name }: Right): boolean {
  const has = (values: readonly string[] | undefined, value: string) =>
    values?.some((each) => each === '*' || each === value) === true;
  const names = rule.resourceNames ?? [];
  const named = names.length === 0 || (name !== '' && names.includes(name));
  return named && has(rule.verbs, verb) && has(rule.apiGroups, group) && has(rule.resources, resource);
}
