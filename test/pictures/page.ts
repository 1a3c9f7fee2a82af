import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Marked } from 'marked';

const { resolve } = createRequire(import.meta.url);
const style = (scheme: Scheme) => readFileSync(resolve(`github-markdown-css/github-markdown-${scheme}.css`), 'utf8');
const mermaid = () => readFileSync(resolve('@mermaid-js/tiny/dist/mermaid.tiny.js'), 'utf8');

export type Scheme = 'light' | 'dark';

/** GitHub-flavoured Markdown as HTML, with Mermaid blocks as GitHub marks them. */
export function render(markdown: string): string {
  return new Marked({
    gfm: true,
    renderer: {
      code({ text, lang }) {
        return lang === 'mermaid' ? `<pre class="mermaid">${escaped(text)}</pre>\n` : false;
      },
    },
  }).parse(markdown, { async: false });
}

/** A page that shows a summary as GitHub does. `title` tells its height once it stands, for the picture to be cut there. */
export function pageOf(markdown: string, scheme: Scheme, unfolded: boolean): string {
  const body = render(markdown).replaceAll('<details>', unfolded ? '<details open>' : '<details>');
  const theme = scheme === 'dark' ? 'dark' : 'default';
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>${style(scheme)}
body { margin: 0; background: ${scheme === 'dark' ? '#0d1117' : '#ffffff'} }
.markdown-body { padding: 24px; max-width: 1012px; box-sizing: border-box }
.markdown-body pre.mermaid { background: none; padding: 0; text-align: center }
@media (max-width: 600px) { .markdown-body { padding: 12px } }</style>
<article class="markdown-body">${body}</article>
<script>${mermaid()}</script>
<script>
mermaid.initialize({ startOnLoad: false, theme: '${theme}', securityLevel: 'strict' });
const measured = () => { document.title = 'height ' + Math.ceil(document.querySelector('article').getBoundingClientRect().height); };
mermaid.run({ querySelector: '.mermaid' }).then(measured, (error) => { measured(); document.title += ' ' + error.message; });
</script>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
