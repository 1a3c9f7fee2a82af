import { NOT_PLAIN } from './plain-flow.ts';

interface Text {
  readonly value: string;
  /** The start of the line behind it. */
  readonly end: number;
}

/** Reads the lines of a block scalar `|`, which are indented deeper than what it belongs to. */
export function readLiteral(text: string, from: number, indent: number, chomping: string): Text {
  const lines: string[] = [];
  let own = -1;
  let start = from;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
    const spaces = indentOf(line);
    const blank = spaces === line.length;
    if (!blank && own < 0) own = spaces;
    if (own < 0 ? spaces > indent + 1 && blank : !blank && spaces < own) {
      if (own < 0 || spaces > indent) throw NOT_PLAIN;
      break;
    }
    if (own >= 0 && own <= indent) throw NOT_PLAIN;
    lines.push(own < 0 ? '' : line.slice(own));
    start = end + 1;
  }
  if (own < 0) throw NOT_PLAIN;
  return { value: chomped(lines, chomping), end: start };
}

function indentOf(line: string): number {
  let spaces = 0;
  while (line.charCodeAt(spaces) === 0x20) spaces += 1;
  return spaces;
}

function chomped(lines: readonly string[], chomping: string): string {
  if (chomping === '+') return `${lines.join('\n')}\n`;
  let last = lines.length;
  while (last > 0 && lines[last - 1] === '') last -= 1;
  return `${lines.slice(0, last).join('\n')}${chomping === '-' ? '' : '\n'}`;
}

/** Reads a plain scalar whose first line is given, over the lines that are indented deeper than what it belongs to. */
export function readFolded(text: string, from: number, first: string, indent: number): Text {
  let value = withoutComment(first);
  let start = text.indexOf('\n', from) + 1;
  let breaks = 0;
  let next = start;
  while (next < text.length) {
    const end = text.indexOf('\n', next);
    const raw = text.slice(next, end);
    const line = trimmed(raw.endsWith('\r') ? raw.slice(0, -1) : raw);
    if (line !== '') {
      if (indentOf(raw) <= indent) break;
      if (value.length < trimmed(first).length || line.startsWith('#') || raw.includes('\t')) throw NOT_PLAIN;
      value += (breaks === 0 ? ' ' : '\n'.repeat(breaks)) + onlyText(line);
      start = end + 1;
      breaks = 0;
    } else breaks += 1;
    next = end + 1;
  }
  return { value, end: start };
}

/** Without spaces around it: only these, not the many that JavaScript would take off. */
function trimmed(line: string): string {
  let end = line.length;
  while (line.charCodeAt(end - 1) === 0x20) end -= 1;
  return line.slice(Math.min(indentOf(line), end), end);
}

/** The text before a comment; a `: ` in it would make it a mapping. */
function withoutComment(line: string): string {
  const comment = line.indexOf(' #');
  return onlyText(trimmed(comment < 0 ? line : line.slice(0, comment)));
}

function onlyText(line: string): string {
  if (line.includes(': ') || line.endsWith(':') || line.includes(' #')) throw NOT_PLAIN;
  return line;
}
