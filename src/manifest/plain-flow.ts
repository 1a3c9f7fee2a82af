import { resolvePlain } from './scalars.ts';

/** Thrown, and caught by `readPlainYaml`, where a text is not as plain as it must be. */
export const NOT_PLAIN = new Error('this YAML is not plain');

/** Told where each value of a list or mapping stands. */
export type Note = (container: object, key: string | number, offset: number) => void;

/** Deeper ones are left to the reader that says what is wrong with them. */
export const DEEPEST_PLAIN = 200;

const SPACE = /[ \t\r\n]*/y;
const DOUBLE_QUOTED = /"(?:[^"\\\n\r]|\\[^\n\r])*"/y;
const SINGLE_QUOTED = /'(?:[^'\n\r]|'')*'/y;
const WORD = /[\w./+$-]+(?=[ \t\r\n,:\]}])/y;

/** A text in quotes that ends on its line, and where it ends. */
export function readQuoted(text: string, from: number): { readonly value: string; readonly end: number } {
  const pattern = text[from] === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED;
  pattern.lastIndex = from;
  const quoted = pattern.exec(text)?.[0];
  if (quoted === undefined) throw NOT_PLAIN;
  return { value: unquoted(quoted), end: from + quoted.length };
}

function unquoted(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1).replaceAll("''", "'");
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw NOT_PLAIN;
  }
}

/** What an unquoted text means; only what fits JSON is plain. */
export function readScalar(text: string): string | number | boolean | null {
  const scalar = resolvePlain(text);
  if ('unfit' in scalar) throw NOT_PLAIN;
  return scalar.value;
}

/** Sets a field that must be new. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__' || Object.hasOwn(object, key)) throw NOT_PLAIN;
  object[key] = value;
}

/** Reads `{…}` or `[…]`, JSON among them, without comments and with one-word plain scalars. */
export function readFlow(
  text: string,
  from: number,
  note: Note | null,
): { readonly value: unknown; readonly end: number } {
  let at = from;
  let depth = 0;

  function skipSpace(): void {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
  }

  function readValue(): unknown {
    const char = text[at];
    if (char === '{') return nested(readMap);
    if (char === '[') return nested(readList);
    if (char === '"' || char === "'") return readText();
    return readScalar(readWord());
  }

  function nested<T>(read: () => T): T {
    depth += 1;
    if (depth > DEEPEST_PLAIN) throw NOT_PLAIN;
    at += 1;
    skipSpace();
    const value = read();
    at += 1;
    depth -= 1;
    return value;
  }

  function readText(): string {
    const { value, end } = readQuoted(text, at);
    at = end;
    return value;
  }

  function readWord(): string {
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0];
    if (word === undefined || /^[-.]*$/.test(word)) throw NOT_PLAIN;
    at += word.length;
    return word;
  }

  function readKey(): string {
    if (text[at] === '"') return readText();
    const key = readScalar(readWord());
    if (key === null || text[at] !== ':' || !/[ \n\r]/.test(text[at + 1] ?? '')) throw NOT_PLAIN;
    return String(key);
  }

  /** Behind a value: whether another one follows. */
  function another(close: string): boolean {
    skipSpace();
    if (text[at] === close) return false;
    if (text[at] !== ',') throw NOT_PLAIN;
    at += 1;
    skipSpace();
    if (text[at] === close) throw NOT_PLAIN;
    return true;
  }

  function readMap(): unknown {
    const object: Record<string, unknown> = {};
    if (text[at] === '}') return object;
    do {
      const key = readKey();
      skipSpace();
      if (text[at] !== ':') throw NOT_PLAIN;
      at += 1;
      skipSpace();
      note?.(object, key, at);
      setField(object, key, readValue());
    } while (another('}'));
    return object;
  }

  function readList(): unknown {
    const list: unknown[] = [];
    if (text[at] === ']') return list;
    do {
      note?.(list, list.length, at);
      list.push(readValue());
    } while (another(']'));
    return list;
  }

  return { value: readValue(), end: at };
}
