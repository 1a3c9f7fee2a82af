/**
 * `npm run pictures [-- STORY …]`: the summaries of real runs, as GitHub shows them, in light and dark, on a desk and on a telephone, into
 * `out/pictures`; those that docs/summary.md shows go to `docs/pictures`. Needs Chromium (CHROMIUM names it).
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderSummary } from '../../src/report/summary.ts';
import { pageOf, type Scheme } from './page.ts';
import { reportOf, STORIES, type StoryName } from './stories.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? 'chromium';
const OUT = path.resolve(import.meta.dirname, '../../out/pictures');
const DOCS = path.resolve(import.meta.dirname, '../../docs/pictures');
const WIDTHS = { desk: 1012, phone: 390 } as const;
const SHOWN: readonly StoryName[] = ['worked-case', 'rollback', 'success'];

mkdirSync(OUT, { recursive: true });
mkdirSync(DOCS, { recursive: true });
const wanted = process.argv.slice(2);
for (const name of Object.keys(STORIES) as StoryName[]) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const markdown = renderSummary(await reportOf(name));
  writeFileSync(path.join(OUT, `${name}.md`), markdown);
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of ['desk', 'phone'] as const) takePicture(name, markdown, scheme, width);
  }
  if (SHOWN.includes(name)) copyFileSync(picture(name, 'light', 'desk'), path.join(DOCS, `${name}.png`));
  console.log(`${name}: ${markdown.length} characters`);
}

function picture(name: StoryName, scheme: Scheme, width: keyof typeof WIDTHS): string {
  return path.join(OUT, `${name}-${scheme}-${width}.png`);
}

function takePicture(name: StoryName, markdown: string, scheme: Scheme, width: keyof typeof WIDTHS): void {
  const page = path.join(OUT, `${name}-${scheme}.html`);
  writeFileSync(page, pageOf(markdown, scheme, false));
  const dom = chromium(page, WIDTHS[width], 2000, '--dump-dom');
  const title = /<title>height (\d+)(.*?)<\/title>/.exec(dom);
  if (title === null) throw new Error(`${name}: the page did not come to stand`);
  if (title[2] !== '') throw new Error(`${name}: Mermaid refused the picture:${title[2]}`);
  chromium(page, WIDTHS[width], Number(title[1]), `--screenshot=${picture(name, scheme, width)}`);
}

function chromium(page: string, width: number, height: number, action: string): string {
  const flags = ['--headless', '--no-sandbox', '--hide-scrollbars', '--virtual-time-budget=10000'];
  const size = [`--window-size=${width},${height}`];
  return execFileSync(CHROMIUM, [...flags, ...size, action, `file://${page}`], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
