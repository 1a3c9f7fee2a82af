/** What was seen when a case was recorded: beside the recording, in NAME.json. */
export interface Recorded {
  readonly verdict: string;
  readonly cause: string;
  /** From the apply to the verdict. */
  readonly seconds: number;
  /** What `kubectl rollout status` said at the moment of the verdict. */
  readonly kubectl: string;
  readonly kubernetes: string;
}
