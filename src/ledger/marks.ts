/** The manager of what the gate notes down; it is not the one of the manifests, so no apply removes it. */
export const LEDGER_MANAGER = 'rollout-gate-ledger';

/** The annotation that says which template was last seen to work, when, and by which run. */
export const STAMP = 'rollout-gate/proven';
