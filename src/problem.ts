/** A place in a manifest file. `file` is as the user named it (relative to the workspace), `line` and `column` count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong, in a sentence that says what was tried, what came back and what to do. */
export interface Problem {
  readonly message: string;
  readonly position: SourcePosition | null;
}

/**
 * The input, the server or the connection does not let the run go on. Every stage throws this one error for it, so that the
 * run ends in the verdict `rejected` with all problems listed, each on its line. Anything else that is thrown is a bug.
 */
export class GateError extends Error {
  override readonly name = 'GateError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    super(problems.map((problem) => problem.message).join('\n'), options);
    this.problems = problems;
  }

  /** One problem that stands on no line of a manifest. */
  static of(message: string, options?: ErrorOptions): GateError {
    return new GateError([{ message, position: null }], options);
  }
}
