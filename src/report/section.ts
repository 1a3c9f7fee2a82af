/** A part of the summary, and how much it matters: what matters least is cut first. */
export interface Section {
  readonly title: string;
  readonly weight: number;
  readonly text: string;
}
