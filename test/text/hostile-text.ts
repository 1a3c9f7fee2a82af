import fc from 'fast-check';
import { parse } from 'marked';

const MARKUP = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</details>',
  '</summary>',
  '<!--',
  '-->',
  '&lt;b&gt;',
  '&#64;',
  '![x](https://evil.example/p.png)',
  '[x](https://evil.example)',
  '[x]: https://evil.example',
  '[^1]',
  '<https://evil.example>',
  'https://evil.example',
  'HTTP://evil.example',
  'www.evil.example',
  'ftp://evil.example',
  'mailto:a@evil.example',
  'a@evil.example',
  '@everyone',
  '@org/team',
  '#12',
  'org/repo#12',
  '**b**',
  '__b__',
  '_i_',
  '~~s~~',
  '$x$',
  '`c`',
  '``',
  '```',
  '~~~',
  '| a | b |',
  '|:--|:--|',
  '\\',
  '# t',
  '> q',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  '\n    code',
  '  \n',
  '\t',
] as const;

const CONTROL = [
  '\u001b[31m',
  '\u001b]8;;https://evil.example\u0007',
  '\u0000',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u2066',
] as const;

/** Pieces of markup, of control sequences and of anything else, in any order. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...MARKUP) },
      { weight: 1, arbitrary: fc.constantFrom(...CONTROL) },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
      { weight: 1, arbitrary: fc.constantFrom(' ', 'word', 'ünï', '漢字', '😀') },
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));

/** What GitHub's renderer would make of it, as far as `marked` knows its dialect. */
export function render(markdown: string): string {
  return parse(markdown, { async: false, gfm: true });
}

/** The names of the elements, in their order: `p`, `/p`. */
export function elements(html: string): readonly string[] {
  return [...html.matchAll(/<(\/?[a-z][a-z0-9]*|!--)/gi)].map(([, name]) => name ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** The text of a piece of HTML. */
export function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
}

/** What a person sees of it: not the invisible space that takes a meaning away. */
export function visible(html: string): string {
  return unspaced(textOf(html));
}

export function unspaced(text: string): string {
  return text.replaceAll('\u200b', '');
}

/** What GitHub would link although it is plain text: mentions, issues, addresses. */
export const LIVE = /(?<!\w)@\w|#\d|\w@\w|\b(https?|ftp):\/\/|\bwww\./i;
