/** A part of a file, as offsets into its text. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

/** A line of three dashes with nothing behind but a comment: where kubectl cuts a file. Source: apimachinery/pkg/util/yaml, YAMLReader. */
const SEPARATOR = /(?<![^\n])---[ \t]*(?:#[^\n]*)?\r?(?=\n|$)/g;

/** Cuts a file into its documents: at `---`, or, in a file of JSON, behind each value. */
export function splitDocuments(text: string): readonly Slice[] {
  return /^\s*\{/.test(text) ? splitJson(text) : splitYaml(text, 0);
}

function splitYaml(text: string, from: number): readonly Slice[] {
  const slices: Slice[] = [];
  let start = from;
  SEPARATOR.lastIndex = from;
  for (let match = SEPARATOR.exec(text); match !== null; match = SEPARATOR.exec(text)) {
    slices.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  slices.push({ start, end: text.length });
  return slices;
}

/** Values one behind another, as `jq` and `kubectl get -o json` print them; from where it is no JSON, it is left to YAML. */
function splitJson(text: string): readonly Slice[] {
  const slices: Slice[] = [];
  let start = 0;
  for (;;) {
    const end = endOfValue(text, start);
    if (end === null) return [...slices, ...splitYaml(text, start)];
    NOT_SPACE.lastIndex = end;
    const next = NOT_SPACE.exec(text);
    if (next?.[0] !== '{' || !isJson(text.slice(start, end))) return [...slices, ...splitYaml(text, start)];
    slices.push({ start, end });
    start = end;
  }
}

const NOT_SPACE = /\S/g;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const BRACKET = /["{}[\]]/g;
const CLOSING_QUOTE = /\\[\s\S]|"/g;

/** Behind the bracket that closes the value which starts at or after `from`; null if none does. */
function endOfValue(text: string, from: number): number | null {
  let depth = 0;
  BRACKET.lastIndex = from;
  for (let match = BRACKET.exec(text); match !== null; match = BRACKET.exec(text)) {
    if (match[0] === '"') {
      const close = closingQuote(text, BRACKET.lastIndex);
      if (close === null) return null;
      BRACKET.lastIndex = close;
      continue;
    }
    depth += match[0] === '{' || match[0] === '[' ? 1 : -1;
    if (depth <= 0) return BRACKET.lastIndex;
  }
  return null;
}

function closingQuote(text: string, from: number): number | null {
  CLOSING_QUOTE.lastIndex = from;
  for (let match = CLOSING_QUOTE.exec(text); match !== null; match = CLOSING_QUOTE.exec(text)) {
    if (match[0] === '"') return CLOSING_QUOTE.lastIndex;
  }
  return null;
}
