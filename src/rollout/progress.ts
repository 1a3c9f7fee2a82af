/** How many of what was asked for are there, in the words of the workload's status. */
export interface Counts {
  readonly desired: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  /** Pods of other revisions that are still there. */
  readonly old: number;
}

/** Why a rollout that nobody judges any more was left alone. */
export type Superseded =
  | { readonly by: 'paused'; readonly detail: string }
  | { readonly by: 'suspended'; readonly detail: string }
  | { readonly by: 'change'; readonly detail: string }
  | { readonly by: 'deletion'; readonly detail: string };

/** How far our revision of one object has come. */
export type Progress =
  | { readonly phase: 'complete'; readonly counts: Counts; readonly message: string }
  | {
      readonly phase: 'progressing';
      readonly counts: Counts;
      readonly message: string;
      /** The controller's own ProgressDeadlineExceeded, written after our apply. */
      readonly deadlineExceeded: boolean;
    }
  | {
      readonly phase: 'superseded';
      readonly counts: Counts;
      readonly message: string;
      readonly superseded: Superseded;
    };
