/** How things stand while the run goes on: finished texts, redacted and escaped for their place. */
export interface InProgress {
  /** Plain text. */
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
}

/** What a run that ended has to say on GitHub: finished texts, redacted and escaped for their place. */
export interface Outcome {
  readonly conclusion: 'success' | 'failure' | 'timed_out' | 'neutral' | 'cancelled';
  /** Plain text of one line. */
  readonly title: string;
  /** Plain text of at most 140 characters that says the cause. */
  readonly description: string;
  /** Markdown of at most 65,535 characters. */
  readonly summary: string;
  readonly annotations: readonly LineAnnotation[];
}

/** A message on a line of a file. */
export interface LineAnnotation {
  readonly level: 'failure' | 'warning';
  readonly title: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
}
