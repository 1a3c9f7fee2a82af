import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';

/** What action.yml says of an input or an output. */
export interface Declared {
  readonly description: string;
  readonly default?: string;
}

/** action.yml, as far as the tables need it. */
export interface ActionFile {
  readonly inputs: Readonly<Record<string, Declared>>;
  readonly outputs: Readonly<Record<string, Declared>>;
}

const ROOT = path.join(import.meta.dirname, '..');
export const PAGE = path.join(ROOT, 'docs/inputs.md');

export async function readActionFile(): Promise<ActionFile> {
  return parse(await readFile(path.join(ROOT, 'action.yml'), 'utf8')) as ActionFile;
}

const BEGIN = (table: string) => `<!-- begin ${table}: written by docs/generate-inputs.ts from action.yml -->`;
const END = (table: string) => `<!-- end ${table} -->`;

/** The page with its tables, aligned as the formatter has them, as action.yml has them now; everything around them stays as it is. */
export function withTables(page: string, action: ActionFile): string {
  const inputs = table(['input', 'default', 'meaning'], action.inputs, (name, { description, default: value }) => [
    `\`${name}\``,
    value === undefined || value === '' ? '' : `\`${value}\``,
    description,
  ]);
  const outputs = table(['output', 'meaning'], action.outputs, (name, { description }) => [`\`${name}\``, description]);
  return replaced(replaced(page, 'inputs', inputs), 'outputs', outputs);
}

function table(
  head: readonly string[],
  all: Readonly<Record<string, Declared>>,
  row: (name: string, declared: Declared) => readonly string[],
): string {
  const rows = [head, ...Object.entries(all).map(([name, declared]) => row(name, declared))].map((cells) =>
    cells.map((cell) => cell.replaceAll('|', '\\|').trim()),
  );
  const widths = head.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function replaced(page: string, name: string, content: string): string {
  const begin = page.indexOf(BEGIN(name));
  const end = page.indexOf(END(name));
  if (begin < 0 || end < begin) throw new Error(`docs/inputs.md has no place for the table "${name}"`);
  return `${page.slice(0, begin + BEGIN(name).length)}\n${content}\n${page.slice(end)}`;
}

if (import.meta.main) await writeFile(PAGE, withTables(await readFile(PAGE, 'utf8'), await readActionFile()));
