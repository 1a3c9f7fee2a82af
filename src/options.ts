import type { Patience } from './stall/finding.ts';

/** One line of the input `images`. */
export interface ImageOverride {
  /** The line as the user wrote it, for messages. */
  readonly entry: string;
  /** The name to look for: an image's repository, or the part before `=`. */
  readonly name: string;
  /** The reference to put there. */
  readonly reference: string;
}

/** What `mode: watch` follows: one workload by name, or all that a selector picks. */
export type WorkloadSelector =
  | { readonly kind: 'name'; readonly resource: string; readonly name: string }
  | { readonly kind: 'selector'; readonly labels: string };

/** The validated inputs. Times are milliseconds. */
export interface Options {
  readonly mode: 'deploy' | 'watch' | 'plan';
  readonly manifests: readonly string[];
  readonly workloads: readonly WorkloadSelector[];
  /** Empty: the context's own. */
  readonly namespace: string;
  readonly images: readonly ImageOverride[];
  /** The content of a kubeconfig; empty: KUBECONFIG, then ~/.kube/config, then in-cluster. */
  readonly kubeconfig: string;
  /** Empty: the kubeconfig's current context. */
  readonly context: string;
  readonly patience: Patience;
  /** null: derived from the workloads' deadlines. */
  readonly timeoutMs: number | null;
  readonly stableForMs: number;
  readonly onStall: 'fail' | 'rollback';
  /** The name of the Secrets that keep proven states; empty: none is kept. */
  readonly ledger: string;
  /** Whether a rollback may delete the pods that hold a StatefulSet up. */
  readonly unstickStatefulSets: boolean;
  readonly fieldManager: string;
  readonly forceConflicts: boolean;
  readonly logLines: number;
}
