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
  /** One sentence or more. */
  readonly reason: string;
  readonly objects: readonly RollbackObject[];
}
