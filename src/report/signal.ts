/** One observed fact that was inspected before anyone acts on the stall. */
export interface Signal {
  readonly group: 'cluster' | 'application';
  readonly name: string;
  readonly value: string;
  /** `unknown`: not allowed to look, or there was nothing to see. */
  readonly judgement: 'fine' | 'suspicious' | 'decisive' | 'unknown';
  /** Where to look next: a command, or a field. Empty where there is nothing more to see. */
  readonly next: string;
}
