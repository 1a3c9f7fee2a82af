import type { Recording } from '../../src/cluster/recording.ts';
import type { KubernetesObject } from '../../src/kubernetes.ts';
import { isChange } from './gates.ts';

const KEPT = [
  'mode',
  'workloads',
  'namespace',
  'patience',
  'timeout',
  'stable-for',
  'field-manager',
  'force-conflicts',
  'log-lines',
];

/** The inputs of the recorded run, without those that name what is elsewhere now; its manifest is `manifest.yaml`. */
export function inputsOf({ header }: Recording): Readonly<Record<string, string>> {
  const inputs: Record<string, string> = {};
  for (const [name, value] of Object.entries(header.options))
    if (KEPT.includes(name) && typeof value === 'string') inputs[name] = value;
  return inputs['mode'] === 'watch' ? inputs : { ...inputs, manifests: 'manifest.yaml' };
}

/** The objects that the recorded run applied, as the server answered with them, without what it added itself. */
export function manifestOf(recording: Recording): string {
  const applied = recording.lines.flatMap((line) =>
    'request' in line && line.request.method === 'PATCH' && isChange(line) ? [line.body as KubernetesObject] : [],
  );
  const first = new Map(
    [...applied]
      .reverse()
      .map((object) => [`${object.kind}/${object.metadata.namespace}/${object.metadata.name}`, object]),
  );
  const documents = [...first.values()].reverse().map(({ status: _status, metadata, ...rest }) => {
    const { name, namespace, labels } = metadata;
    return { ...rest, metadata: { name, namespace, labels } };
  });
  return documents.map((document) => JSON.stringify(document, null, 2)).join('\n---\n');
}
