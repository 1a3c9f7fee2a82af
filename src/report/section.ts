/** A part of the summary, and how much it matters: what matters least is cut first. */
export interface Section {
  readonly title: string;
  readonly weight: number;
  readonly text: string;
}

/** A part that a person opens only to know more. @param title HTML, already escaped */
export function folded(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}
