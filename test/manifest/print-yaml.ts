import type { FieldPath } from '../../src/kubernetes.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** YAML, and the line (from 1) on which each value that is no collection starts. */
export interface Printed {
  readonly text: string;
  readonly lines: readonly (readonly [path: FieldPath, line: number])[];
}

/** Which of the ways to write a value to take, of so many: the source of variety. */
export type Choose = (ways: number) => number;

const SAFE_PLAIN = /^[a-z][a-z0-9]{3,}(?:-[a-z0-9]+)*$/;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);
/** What a block scalar holds as it is: no space that would be read as indentation, no characters that end a line. */
const BLOCK = /^[^\s\p{C}][^\r\p{Cc}\p{Cs}\u2028\u2029]*(?:\n[^\s\p{C}][^\r\p{Cc}\p{Cs}\u2028\u2029]*)*$/u;

/** Prints a value as YAML in block or flow style, its texts quoted in one way or another. */
export function printYaml(value: Json, choose: Choose): Printed {
  const out: string[] = [];
  const lines: (readonly [FieldPath, number])[] = [];

  function block(each: Json, indent: string, path: FieldPath): void {
    const entries = entriesOf(each);
    if (entries === null || entries.length === 0 || choose(5) === 0) {
      inline(each, indent, path);
      return;
    }
    const isList = Array.isArray(each);
    for (const [key, item] of entries) {
      const nested = (entriesOf(item)?.length ?? 0) > 0 && choose(4) > 0;
      out.push(`${indent}${isList ? '-' : `${printKey(String(key), choose)}:`}`);
      const within = [...path, key];
      if (nested) block(item, `${indent}  `, within);
      else inline(item, `${indent}  `, within);
    }
  }

  function inline(each: Json, indent: string, path: FieldPath): void {
    if (typeof each === 'string' && BLOCK.test(each) && choose(3) === 0 && out.length > 0) {
      lines.push([path, out.length]);
      out[out.length - 1] += ' |-';
      out.push(...each.split('\n').map((line) => indent + line));
      return;
    }
    if (entriesOf(each) === null) lines.push([path, Math.max(1, out.length)]);
    if (out.length === 0) out.push('');
    out[out.length - 1] += ` ${flow(each, choose)}`;
  }

  block(value, '', []);
  return { text: `${out.join(choose(4) === 0 ? '\r\n' : '\n')}\n`, lines };
}

function entriesOf(value: Json): readonly (readonly [string | number, Json])[] | null {
  if (Array.isArray(value)) return value.map((item: Json, index) => [index, item] as const);
  return typeof value === 'object' && value !== null ? Object.entries(value) : null;
}

function flow(value: Json, choose: Choose): string {
  if (typeof value === 'string') return printText(value, choose);
  if (Array.isArray(value)) return `[${value.map((item: Json) => flow(item, choose)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${printKey(key, choose)}: ${flow(item, choose)}`)
    .join(', ')}}`;
}

function printKey(key: string, choose: Choose): string {
  return printText(key, choose);
}

function printText(text: string, choose: Choose): string {
  const way = choose(3);
  if (way === 0 && SAFE_PLAIN.test(text) && !WORDS.has(text)) return text;
  if (way === 1 && !/[\n\r\p{Cc}\p{Cs}\u2028\u2029\ufeff]/u.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text);
}
