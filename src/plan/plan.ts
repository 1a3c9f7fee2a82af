import type { Api } from '../cluster/api.ts';
import { groupOf, shortName } from '../kubernetes.ts';
import type { Manifest, ManifestDocument } from '../manifest/document.ts';
import { duplicates } from '../manifest/objects.ts';
import { GateError, type Problem } from '../problem.ts';
import { checkAll, type Settled } from './check.ts';
import { inTurns } from './in-turns.ts';
import { inOrder } from './order.ts';
import type { Plan, PlanOptions } from './planned.ts';
import { createdNamespaces, definedResource } from './resources.ts';

/**
 * Sends every document to the server as a dry run, before the first is applied.
 *
 * @throws GateError with every refusal, each on its line, in the order of the manifest; nothing was changed then
 */
export async function plan(manifest: Manifest, api: Api, options: PlanOptions): Promise<Plan> {
  const { documents } = manifest;
  const settled = await inTurns(documents, (document) => settle(document, documents, api, options));
  const found = settled.flatMap((each) => ('message' in each ? [] : [each]));
  const unknown = settled.flatMap((each) => ('message' in each ? [each] : []));
  const twice = duplicates(found.map((each) => ({ ...each.document, ref: each.ref })));
  if (twice.length > 0) throw new GateError([...unknown, ...twice]);
  const notYet = {
    namespaces: createdNamespaces(documents),
    isNewKind: (each: Settled) => 'kindIsNew' in each && each.kindIsNew === true,
  };
  const ordered = inOrder(found, (each) => each.ref);
  const { objects, problems } = await checkAll(ordered, notYet, [], api, options);
  if (unknown.length + problems.length > 0) throw new GateError(inPlace([...unknown, ...problems], documents));
  return { objects };
}

type WithKind = Settled & { readonly kindIsNew: boolean };

/** Which resource serves the kind, and in which namespace the object belongs. */
async function settle(
  document: ManifestDocument,
  documents: readonly ManifestDocument[],
  api: Api,
  options: PlanOptions,
): Promise<WithKind | Problem> {
  const { apiVersion, kind } = document.ref;
  const served = await api.resource(apiVersion, kind);
  const resource = served ?? definedResource(apiVersion, kind, documents);
  if (resource === null) return unknownKind(document, api);
  const namespace = resource.namespaced ? document.ref.namespace || options.namespace || api.namespace : '';
  return { document, ref: { ...document.ref, namespace }, resource, kindIsNew: served === null };
}

/** Where kinds have moved to. Source: Kubernetes' deprecated API migration guide. */
const PRESENT_VERSIONS: readonly string[] = [
  'v1',
  'apps/v1',
  'batch/v1',
  'networking.k8s.io/v1',
  'policy/v1',
  'autoscaling/v2',
  'rbac.authorization.k8s.io/v1',
  'storage.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'admissionregistration.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'node.k8s.io/v1',
];

async function unknownKind(document: ManifestDocument, api: Api): Promise<Problem> {
  const { apiVersion, kind } = document.ref;
  const group = groupOf(apiVersion);
  const candidates = [...PRESENT_VERSIONS, `${group}/v1`, `${group}/v1beta1`, `${group}/v1alpha1`, `${group}/v2`];
  const others = [...new Set(candidates)].filter((each) => each !== apiVersion && !each.startsWith('/'));
  const found = await inTurns(others, async (each) => ((await api.resource(each, kind)) === null ? [] : [each]));
  const served = found.flat();
  const advice =
    served.length > 0
      ? `; it serves ${kind} as ${served.join(' and ')}`
      : '; is its CustomResourceDefinition missing, or the name misspelt?';
  return {
    message: `${shortName(document.ref)}: the server at ${api.server} knows no kind "${kind}" in ${apiVersion}${advice}`,
    position: document.source.at(served.length > 0 ? ['apiVersion'] : ['kind']),
  };
}

/** The problems in the order in which a person finds them: by file of the manifest, then by line. */
function inPlace(problems: readonly Problem[], documents: readonly ManifestDocument[]): readonly Problem[] {
  const files = documents.map((document) => document.source.file);
  const place = ({ position }: Problem) =>
    position === null ? [0, 0, 0] : [files.indexOf(position.file), position.line, position.column];
  return [...problems].sort((a, b) => {
    const [first, second] = [place(a), place(b)];
    return first.map((value, index) => value - (second[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  });
}
