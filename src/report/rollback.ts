import type { Shortfall } from '../rollout/shortfall.ts';

/** How one field stood before this run, what the run asked for, and how it stands at the end. */
export interface RollbackField {
  readonly path: string;
  readonly before: unknown;
  readonly attempted: unknown;
  readonly after: unknown;
}

export interface RollbackObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** `left`: as this run made it, because it was not or could not be rolled back. `kept`: never rolled back. */
  readonly action: 'restored' | 'deleted' | 'kept' | 'left';
  readonly detail: string;
  readonly fields: readonly RollbackField[];
}

/** What `on-stall: rollback` came to. */
export interface ReportRollback {
  readonly outcome: 'none' | 'rolled-back' | 'refused' | 'failed';
  /** The state that was to be restored, and what proves that it worked; empty if nothing was to be. */
  readonly target: string;
  /** One sentence or more. */
  readonly reason: string;
  readonly objects: readonly RollbackObject[];
  /** For how long each workload had fewer available replicas than asked for, from the apply to the end of the rollback. */
  readonly shortfall: readonly Shortfall[];
}
