import { stripVTControlCharacters } from 'node:util';

/**
 * Text that came out of a cluster is hostile: it can carry workflow commands, terminal codes and markup. Every medium has its own escape,
 * and nothing else of this program writes such text anywhere.
 */

/** Control characters, line and paragraph separators, and what turns the direction of writing; tab and line feed are kept. */
const CONTROL = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Plain characters only; lines stay lines. */
export function plain(text: string): string {
  return stripVTControlCharacters(text.toWellFormed().replace(/\r\n?/g, '\n')).replace(CONTROL, '�');
}

/** One line, whatever the text was. */
export function oneLine(text: string): string {
  return plain(text)
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ');
}

/** Shortened to `length` characters, saying so. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, Math.max(0, length - 1));
  // Never half of a character that takes two code units.
  return `${head.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}

/**
 * A line for the job's log. The runner takes `::name::` and `##[name]` at the start of a line as commands, and some of its versions `##[` anywhere:
 * a zero-width space takes their meaning and leaves their look.
 */
export function logLine(text: string): string {
  return oneLine(text).replace(/::/g, ':\u200b:').replace(/##\[/g, '##\u200b[');
}

/** Inline Markdown text: no markup, no HTML, no mention and no link of its own. */
export function markdown(text: string): string {
  const marked = oneLine(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\`*_{}[\]()#+!|~$]/g, (character) => `\\${character}`)
    // At the start of a line these would be a list, a rule or a heading.
    .replace(/^[-=]/, '\\$&')
    .replace(/^(\d+)\./, '$1\\.');
  return unlinked(marked);
}

/** GitHub makes mentions and links of plain text: an invisible space takes their meaning and leaves their look. */
function unlinked(text: string): string {
  return text
    .replace(/@/g, '@\u200b')
    .replace(/#(?=\d)/g, '#\u200b')
    .replace(/(https?|ftp|www)(:|\.)/gi, '$1\u200b$2');
}

/** Text inside an HTML element, where Markdown does not count. */
export function html(text: string): string {
  return unlinked(
    oneLine(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;'),
  );
}

/** A word of a Mermaid diagram: letters, digits and the few signs that mean nothing there. */
export function mermaidText(text: string): string {
  return oneLine(text)
    .replace(/[^\p{L}\p{N} .,/()=_+-]+/gu, ' ')
    .replace(/--+/g, '-')
    .replace(/ +/g, ' ')
    .trim();
}

/** Inline code: a fence longer than any run of backticks in it. */
export function markdownCode(text: string): string {
  const line = oneLine(text);
  if (line === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Inline code in a cell of a table, where a bar would end the cell even within code. */
export function markdownCellCode(text: string): string {
  return markdownCode(text).replace(/\|/g, '\\|');
}

/** A block of preformatted text, e.g. a log. */
export function markdownBlock(text: string): string {
  const clean = plain(text);
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${clean}\n${fence}`;
}
