import type { Section } from './section.ts';

/**
 * Puts the sections together in their order, cut from the least important until they fit, saying what was cut.
 *
 * @param mostBytes what the text may take in UTF-8
 */
export function fit(sections: readonly Section[], mostBytes: number): string {
  let kept = sections
    .map((section) => ({ ...section, text: section.text.trimEnd() }))
    .filter((section) => section.text !== '');
  let size = kept.reduce((sum, section) => sum + sizeOf(section), 0);
  const cut: string[] = [];
  for (const least of [...kept].sort(byWeight)) {
    const isEnough = size + bytes(noteOf(cut)) + (cut.length === 0 ? -1 : 1) <= mostBytes;
    if (isEnough || kept.length === 1) break;
    kept = kept.filter((section) => section !== least);
    size -= sizeOf(least);
    cut.push(least.title);
  }
  const text = compose(kept, cut);
  return bytes(text) <= mostBytes ? text : shortened(text, mostBytes);
}

/** What is cut is named, as far as anybody reads it. */
const MOST_NAMED = 10;

/** With the empty line after it. */
function sizeOf({ text }: Section): number {
  return bytes(text) + 2;
}

/** The least important first; of two that are as important, the longer. */
function byWeight(a: Section, b: Section): number {
  return a.weight - b.weight || b.text.length - a.text.length;
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
  return `${[...sections.map(({ text }) => text), noteOf(cut)].filter((text) => text !== '').join('\n\n')}\n`;
}

function noteOf(cut: readonly string[]): string {
  const titles = [...new Set(cut)];
  if (titles.length === 0) return '';
  const more = titles.length > MOST_NAMED ? ` and ${titles.length - MOST_NAMED} more` : '';
  return `_Left out, because GitHub takes no more: ${titles.slice(0, MOST_NAMED).join(', ')}${more}. The report has it all._`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
