import { DEEPEST_PLAIN, NOT_PLAIN, type Note, readFlow, readQuoted, readScalar, setField } from './plain-flow.ts';
import { readFolded, readLiteral } from './plain-text.ts';

const INDENT = / */y;
const KEY = /(?:([\w./$][\w./$-]*)|"([^"\\\n\r]*)"|'([^'\n\r]*)'):(?=[ \r\n])/y;
const DASH = /- *(?=[^ ])/y;
/** What may follow a value on its line. */
const REST = / *(?: #[^\n]*)?\r?\n/y;
const NO_VALUE = /(?:#[^\n]*)?\r?\n/y;
const LITERAL = /\|([+-]?) *\r?\n/y;
const PLAIN = /[^\s#&*!|>%@`"'{}[\],?:-][^\n\r]*|[-:?][^\s][^\n\r]*/y;

/** A line break of its own, a mark in the middle, or a tab where it could be taken for indentation: not for this reader. */
const ODD = /\r(?!\n)|\ufeff|^ *\t/m;

/**
 * Reads the plain YAML that programs print and most people write: mappings, lists, texts in quotes, block texts, JSON. It is many times as
 * fast as the reader of all YAML (`parseTrees`), and takes a text only if it is sure to read it as that one does; tests compare the two.
 *
 * @param text ends with a line break
 * @param note is told where each value stands
 * @returns null for what is not that plain: anchors, tags, errors, and all that is rare
 */
export function readPlainYaml(
  text: string,
  note: Note | null,
): { readonly value: unknown; readonly root: number } | null {
  if (!text.endsWith('\n') || ODD.test(text)) return null;
  try {
    return read(text, note);
  } catch (error) {
    if (error === NOT_PLAIN) return null;
    throw error;
  }
}

function read(text: string, note: Note | null): { readonly value: unknown; readonly root: number } {
  /** Where the content of the present line starts, and how far it is indented; -1 behind the last line. */
  let at = 0;
  let column = -1;
  let depth = 0;

  function toLine(from: number): void {
    let start = from;
    while (start < text.length) {
      INDENT.lastIndex = start;
      INDENT.test(text);
      at = INDENT.lastIndex;
      const char = text[at];
      if (char !== '\n' && char !== '\r' && char !== '#') {
        column = at - start;
        return;
      }
      start = text.indexOf('\n', at) + 1;
    }
    column = -1;
  }

  function isDash(): boolean {
    return text[at] === '-' && /[ \r\n]/.test(text[at + 1] ?? '');
  }

  function matchAt(pattern: RegExp, from: number): RegExpExecArray | null {
    pattern.lastIndex = from;
    return pattern.exec(text);
  }

  function readBlock(): unknown {
    if (isDash()) return nested(readList);
    if (matchAt(KEY, at) !== null) return nested(readMap);
    throw NOT_PLAIN;
  }

  function nested<T>(readAt: (indent: number) => T): T {
    depth += 1;
    if (depth > DEEPEST_PLAIN) throw NOT_PLAIN;
    const value = readAt(column);
    depth -= 1;
    return value;
  }

  function readMap(indent: number): unknown {
    const object: Record<string, unknown> = {};
    do {
      const key = matchAt(KEY, at);
      if (key === null) throw NOT_PLAIN;
      const name = key[1] === undefined ? (key[2] ?? key[3] ?? '') : plainKey(key[1]);
      const value = readValue(spaceEnd(KEY.lastIndex), indent, true, (offset) => note?.(object, name, offset));
      setField(object, name, value);
    } while (column === indent);
    return object;
  }

  function plainKey(word: string): string {
    const key = readScalar(word);
    if (key === null) throw NOT_PLAIN;
    return String(key);
  }

  function readList(indent: number): unknown {
    const list: unknown[] = [];
    do {
      matchAt(DASH, at);
      list.push(readItem(DASH.lastIndex, indent, (offset) => note?.(list, list.length, offset)));
    } while (column === indent && isDash());
    return list;
  }

  /** What follows a dash may itself be a list or a mapping, indented as far as it stands. */
  function readItem(from: number, indent: number, place: (offset: number) => void): unknown {
    const dash = at;
    at = from;
    if (!isDash() && matchAt(KEY, at) === null) return readValue(from, indent, false, place);
    column = indent + from - dash;
    place(at);
    return readBlock();
  }

  function spaceEnd(from: number): number {
    INDENT.lastIndex = from;
    INDENT.test(text);
    return INDENT.lastIndex;
  }

  function readValue(from: number, indent: number, inMap: boolean, place: (offset: number) => void): unknown {
    place(from);
    if (matchAt(NO_VALUE, from) !== null) return readBelow(NO_VALUE.lastIndex, indent, inMap, place);
    const char = text[from] ?? '';
    if (char === '"' || char === "'") return finish(readQuoted(text, from));
    if (char === '{' || char === '[') return finish(readFlow(text, from, note), from);
    const literal = matchAt(LITERAL, from);
    if (literal !== null) {
      const block = readLiteral(text, LITERAL.lastIndex, indent, literal[1] ?? '');
      toLine(block.end);
      return block.value;
    }
    return readPlainText(from, indent);
  }

  /** A value that starts on a line of its own: indented deeper, but for a list in a mapping. */
  function readBelow(from: number, indent: number, inMap: boolean, place: (offset: number) => void): unknown {
    toLine(from);
    if (column < indent || (column === indent && !(inMap && isDash()))) return null;
    place(at);
    return readBlock();
  }

  /** On a line of other things a `{…}` or `[…]` must end on that line. */
  function finish<T>(read: { readonly value: T; readonly end: number }, from = read.end): T {
    if (from < read.end && text.slice(from, read.end).includes('\n')) throw NOT_PLAIN;
    if (matchAt(REST, read.end) === null) throw NOT_PLAIN;
    toLine(REST.lastIndex);
    return read.value;
  }

  function readPlainText(from: number, indent: number): unknown {
    const line = matchAt(PLAIN, from)?.[0];
    if (line === undefined || line.includes('\t')) throw NOT_PLAIN;
    const { value, end } = readFolded(text, from, line, indent);
    toLine(end);
    return readScalar(value);
  }

  toLine(0);
  const root = at;
  if (column < 0 || /^(?:---|\.\.\.|%)/.test(text.slice(root, root + 3))) throw NOT_PLAIN;
  if (text[root] !== '{') {
    const value = readBlock();
    // A line that nothing took, for its indentation or its content.
    if (column >= 0) throw NOT_PLAIN;
    return { value, root };
  }
  const { value, end } = readFlow(text, root, note);
  if (matchAt(REST, end) === null) throw NOT_PLAIN;
  toLine(REST.lastIndex);
  if (column >= 0) throw NOT_PLAIN;
  return { value, root };
}
