/** Something that happens beside the run: kubectl with these arguments, and this input. */
export interface Step {
  readonly kubectl: readonly string[];
  readonly input?: string;
}

/** One story on a real cluster, with what the gate must make of it. `NS` in any text stands for the case's own namespace. */
export interface Case {
  readonly name: string;
  /** What is rolled out and judged: JSON documents. */
  readonly manifest: readonly string[];
  /** What was rolled out before it by the gate, with success: then this is an update. */
  readonly before?: readonly string[];
  readonly setup?: readonly Step[];
  /** Steps beside the run, so many seconds after its start. */
  readonly during?: readonly (Step & { readonly after: number })[];
  readonly cleanup?: readonly Step[];
  readonly inputs?: Readonly<Record<string, string>>;
  readonly expected: Expected;
  /** `stall`: must be named. `twin`: looks like one for a while, and heals. `herring`: something else is wrong nearby. */
  readonly role: 'stall' | 'twin' | 'herring';
  /** The states of a real component were written by the test, because this cluster has none that would. */
  readonly simulated?: boolean;
}

export interface Expected {
  readonly verdict: 'succeeded' | 'stalled' | 'timed-out' | 'superseded';
  /** Empty where nothing stalls. */
  readonly cause: string;
  /** Seconds after the apply by which it must be known. */
  readonly within: number;
}
