import { Composer, type CST, type Document, Lexer, type Node, Parser } from 'yaml';

/** What stands at an offset of a text is wrong. */
export class YamlFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Ten times what any manifest has; what goes deeper is meant to exhaust the stack. */
const DEEPEST = 1000;

/**
 * The syntax trees of a text: one, as a rule; more where a document ends with `...` or starts behind `---` on the same line. Every scalar
 * is left as text: what it means is for Kubernetes' rules.
 *
 * @throws YamlFault for the first thing that is no YAML
 */
export function parseTrees(text: string): readonly Document.Parsed[] {
  const composer = new Composer({
    version: '1.2',
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    strict: true,
  });
  const composed = composer.compose(tokens(text), false, text.length);
  const documents = [...composed] as readonly Document.Parsed[];
  const first = documents.flatMap((document) => document.errors)[0];
  if (first !== undefined)
    throw new YamlFault(`this is no valid YAML: ${first.message.replace(/\s+/g, ' ')}`, first.pos[0]);
  return documents.filter((document) => (document.contents as Node | null) !== null);
}

function* tokens(text: string): Generator<CST.Token, void> {
  const parser = new Parser();
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > DEEPEST) throw new YamlFault(`this is nested more than ${DEEPEST} levels deep`, offset);
    offset = parser.offset;
  }
  yield* parser.end();
}
