import type { Options } from './options.ts';

/** The options as the report and the recording show them: without the kubeconfig, of which only that it was given is said. */
export function optionTexts(options: Options): Readonly<Record<string, string>> {
  return {
    mode: options.mode,
    manifests: options.manifests.join('\n'),
    workloads: options.workloads
      .map((each) => (each.kind === 'name' ? `${each.resource}/${each.name}` : `-l ${each.labels}`))
      .join('\n'),
    namespace: options.namespace,
    images: options.images.map((each) => each.entry).join('\n'),
    kubeconfig: options.kubeconfig === '' ? '' : '(given)',
    context: options.context,
    patience: String(options.patience),
    timeout: options.timeoutMs === null ? '' : `${options.timeoutMs / 1000}s`,
    'stable-for': `${options.stableForMs / 1000}s`,
    'on-stall': options.onStall,
    ledger: options.ledger === '' ? 'none' : options.ledger,
    'unstick-statefulsets': String(options.unstickStatefulSets),
    'field-manager': options.fieldManager,
    'force-conflicts': String(options.forceConflicts),
    'log-lines': String(options.logLines),
  };
}
