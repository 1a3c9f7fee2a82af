import type { Section } from './section.ts';

/**
 * Puts the sections together in their order, cut from the least important until they fit, saying what was cut.
 *
 * @param mostBytes what the text may take in UTF-8
 */
export function fit(sections: readonly Section[], mostBytes: number): string {
  let kept = sections.filter((section) => section.text !== '');
  const cut: string[] = [];
  while (bytes(compose(kept, cut)) > mostBytes && kept.length > 1) {
    const least = kept.reduce((a, b) =>
      b.weight < a.weight || (b.weight === a.weight && b.text.length > a.text.length) ? b : a,
    );
    kept = kept.filter((section) => section !== least);
    cut.push(least.title);
  }
  const text = compose(kept, cut);
  return bytes(text) <= mostBytes ? text : shortened(text, mostBytes);
}

const CUT = '\n\n_Cut here: it was too long for GitHub. The report has it all._\n';

function shortened(text: string, mostBytes: number): string {
  const room = Math.max(0, mostBytes - bytes(CUT) - 100);
  const head = Buffer.from(text)
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return `${head}${CUT}`;
}

function compose(sections: readonly Section[], cut: readonly string[]): string {
  const note =
    cut.length === 0
      ? ''
      : `_Left out, because GitHub takes no more: ${[...new Set(cut)].join(', ')}. The report has it all._\n`;
  return `${[...sections.map((section) => section.text.trimEnd()), note].filter((text) => text !== '').join('\n\n')}\n`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
