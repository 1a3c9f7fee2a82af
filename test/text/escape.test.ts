import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  clip,
  html,
  logLine,
  markdown,
  markdownBlock,
  markdownCellCode,
  markdownCode,
  mermaidText,
  oneLine,
  plain,
} from '../../src/text/escape.ts';
import { elements, hostileText, LIVE, render, textOf, unspaced, visible } from './hostile-text.ts';

const RUNS = { numRuns: 1000 };
const INVISIBLE_OR_TURNING = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** The only cell of the second column, as a table of the summary has it. */
function cellOf(cell: string): string {
  const table = render(`| a | b |\n|:--|:--|\n| first | ${cell} |\n| last | end |`);
  const rows = [...table.matchAll(/<tr>\n([\s\S]*?)<\/tr>/g)].map(([, row]) =>
    [...(row ?? '').matchAll(/<td align="left">(.*)<\/td>\n/g)].map(([, text]) => text ?? ''),
  );
  assert.deepEqual(
    rows.map((row) => row.length),
    [0, 2, 2],
    table,
  );
  assert.deepEqual([rows[1]?.[0], rows[2]?.[0], rows[2]?.[1]], ['first', 'last', 'end']);
  return rows[1]?.[1] ?? '';
}

describe('plain text', () => {
  it('has neither control characters nor separators nor what turns the direction, and keeps its lines', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        assert.doesNotMatch(plain(text), INVISIBLE_OR_TURNING);
        assert.equal(plain(plain(text)), plain(text));
      }),
      RUNS,
    );
    assert.equal(plain('a\r\nb\rc\n\td\u001b[31me\u001b[0m'), 'a\nb\nc\n\tde');
    assert.equal(plain('ünï 漢字 😀 עברית'), 'ünï 漢字 😀 עברית');
  });

  it('is one line where it has to be, and shows where lines ended', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        assert.doesNotMatch(oneLine(text), /[\n\r\u0085\u2028\u2029]/);
        assert.equal(oneLine(text), oneLine(text).trim());
      }),
      RUNS,
    );
    assert.equal(oneLine('  a  \n\n  b\r\nc'), 'a ⏎ b ⏎ c');
  });

  it('is never cut within a character', () => {
    assert.equal(clip('ab😀cd', 4), 'ab…');
    const astral = fc.string({ unit: 'grapheme-composite' });
    fc.assert(fc.property(astral, fc.nat(30), (text, length) => assert.ok(clip(text, length + 1).isWellFormed())));
  });

  it('is clipped to a length, and says so', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (text, length) => {
        const clipped = clip(text, length);
        assert.ok(clipped.length <= length);
        assert.equal(clipped === text, text.length <= length);
        if (clipped !== text) assert.ok(clipped.endsWith('…') && text.startsWith(clipped.slice(0, -1)));
      }),
    );
  });
});

describe('Markdown text', () => {
  it('is nothing but the same characters, within a paragraph', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = render(`**a** ${markdown(text)} z`);
        assert.deepEqual(elements(shown), ['p', 'strong', '/strong', '/p'], shown);
        assert.equal(visible(shown).trim(), unspaced(`a ${oneLine(text)} z`));
        assert.doesNotMatch(textOf(shown), LIVE);
      }),
      RUNS,
    );
  });

  it('is nothing but the same characters, at the start of a line', () => {
    const starts = fc.constantFrom(
      '- x',
      '1. x',
      '12) x',
      '---',
      '===',
      '+ x',
      '> x',
      '# x',
      '    x',
      '~~~',
      '***',
      '1.5 s',
    );
    fc.assert(
      fc.property(fc.oneof(hostileText, starts), (text) => {
        const shown = render(`a\n\n${markdown(text) || 'b'}`);
        assert.deepEqual(elements(shown), ['p', '/p', 'p', '/p'], shown);
        assert.equal(visible(shown).replace(/\s/g, ''), `a${oneLine(text) || 'b'}`.replace(/\s/g, ''));
      }),
      RUNS,
    );
  });

  it('is nothing but the same characters, within a cell of a table', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = cellOf(`✅ ${markdown(text)}`);
        assert.deepEqual(elements(shown), [], shown);
        assert.equal(visible(shown).trim(), unspaced(`✅ ${oneLine(text)}`).trim());
        assert.doesNotMatch(textOf(shown), LIVE);
      }),
      RUNS,
    );
  });

  it('is nothing but the same characters, within a quote or an item of a list', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const [prefix, tags] of [
          ['> a ', ['blockquote', 'p', '/p', '/blockquote']],
          ['- a ', ['ul', 'li', '/li', '/ul']],
        ] as const) {
          const shown = render(`${prefix}${markdown(text)}`);
          assert.deepEqual(elements(shown), tags, shown);
          assert.equal(visible(shown).trim(), unspaced(`a ${oneLine(text)}`).trim());
        }
      }),
    );
  });

  it('makes no task of an item of a list', () => {
    assert.deepEqual(elements(render(`- ${markdown('[ ] x')}`)), ['ul', 'li', '/li', '/ul']);
  });

  const unseen: readonly string[] = [
    '@everyone',
    '#12',
    'org/repo#12',
    'https://x.example',
    'www.x.example',
    'a@x.example',
  ];
  for (const text of unseen)
    it(`takes the meaning of ${text} and leaves its look`, () => {
      const shown = visible(render(`a ${markdown(text)}`)).trim();
      assert.equal(shown, `a ${text}`);
      assert.doesNotMatch(textOf(render(`a ${markdown(text)}`)), LIVE);
    });
});

describe('inline code', () => {
  it('is one piece of code with the same characters, within a paragraph', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = render(`a ${markdownCode(text)} z`);
        const code = oneLine(text) === '' ? [] : ['code', '/code'];
        assert.deepEqual(elements(shown), ['p', ...code, '/p'], shown);
        assert.equal(visible(shown).trim().replace(/ +/g, ' '), unspaced(`a ${oneLine(text)} z`).replace(/ +/g, ' '));
      }),
      RUNS,
    );
  });

  it('is one piece of code with the same characters, within a cell of a table', () => {
    // GitHub takes a pipe after any backslash as text; `marked` counts the backslashes.
    const cells = hostileText.map((text) => text.replace(/\\(?=\|)/g, '/'));
    fc.assert(
      fc.property(cells, (text) => {
        const shown = cellOf(`→ ${markdownCellCode(text)}`);
        assert.deepEqual(elements(shown), oneLine(text) === '' ? [] : ['code', '/code'], shown);
        assert.equal(visible(shown).trim(), unspaced(`→ ${oneLine(text)}`).trim());
      }),
      RUNS,
    );
  });
});

describe('a block of code', () => {
  it('ends where it should, with the same lines in it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = render(`<details><summary>x</summary>\n\n${markdownBlock(text)}\n\n</details>\n\n*end*`);
        const tags = [
          'details',
          'summary',
          '/summary',
          'pre',
          'code',
          '/code',
          '/pre',
          '/details',
          'p',
          'em',
          '/em',
          '/p',
        ];
        assert.deepEqual(elements(shown), tags, shown);
        const body = /<code class="language-text">([\s\S]*?)<\/code>/.exec(shown)?.[1] ?? '';
        assert.equal(visible(body), unspaced(`${plain(text)}\n`));
      }),
      RUNS,
    );
  });
});

describe('text inside an HTML element', () => {
  it('is nothing but the same characters, in the title of a fold', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = render(`<details><summary>Log of <b>${html(text)}</b></summary>\n\nbody\n\n</details>`);
        const tags = ['details', 'summary', 'b', '/b', '/summary', 'p', '/p', '/details'];
        assert.deepEqual(elements(shown), tags, shown);
        const title = /<b>(.*)<\/b>/.exec(shown)?.[1] ?? '';
        assert.equal(visible(title), unspaced(oneLine(text)));
        assert.doesNotMatch(textOf(title), LIVE);
      }),
      RUNS,
    );
  });

  it('does not end an attribute either', () => {
    assert.doesNotMatch(html('" onclick="x'), /"/);
  });
});

describe('a line of the log', () => {
  it('is one line that the runner takes for no command, and looks the same', () => {
    const commands = fc.array(
      fc.oneof(hostileText, fc.constantFrom('::', ':::', '::error::x', '##[group]', '##[', ' ')),
    );
    fc.assert(
      fc.property(commands, (parts) => {
        const line = logLine(parts.join(''));
        assert.doesNotMatch(line, /(?!\t)\p{Cc}|##\[/u);
        assert.ok(!line.trimStart().startsWith('::'), line);
        assert.equal(unspaced(line), unspaced(oneLine(parts.join(''))));
      }),
      RUNS,
    );
  });
});

describe('a word of a diagram', () => {
  it('has only letters, digits and signs that mean nothing there, and none that stands for an arrow', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        assert.match(mermaidText(text), /^[\p{L}\p{N} .,/()=_+-]*$/u);
        assert.doesNotMatch(mermaidText(text), /--|^ | $| {2}/);
      }),
      RUNS,
    );
    assert.equal(mermaidText('Deployment/wéb-1.2 in shop: %%x; [y]'), 'Deployment/wéb-1.2 in shop x y');
  });
});
