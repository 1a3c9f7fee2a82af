/**
 * `npm run compare:rollback`: plays failed deploys with each way to take them back, on the cluster of KUBECONFIG, and writes what each
 * leaves behind into docs/rollback.md. HELM names the program of Helm 4; without it that column is left out.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Answers, answersOf } from './rollback-left.ts';
import { toolsToCompare } from './rollback-tools.ts';

const tools = toolsToCompare();
const answers: Answers[] = [];
for (const tool of tools) answers.push(await answersOf(tool));
const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = [
  row(['', ...tools.map(({ name }) => name)]),
  `|${'---|'.repeat(tools.length + 1)}`,
  ...[...(answers[0] ?? new Map<string, string>()).keys()].map((question) =>
    row([question, ...answers.map((each) => each.get(question) ?? '')]),
  ),
].join('\n');
const file = path.resolve(import.meta.dirname, '../docs/rollback.md');
const docs = await readFile(file, 'utf8');
const marked = /(<!-- begin comparison -->\n)[\s\S]*(<!-- end comparison -->)/;
await writeFile(
  file,
  docs.replace(marked, (_all, begin: string, end: string) => `${begin}\n${table}\n\n${end}`),
);
console.log(table);
