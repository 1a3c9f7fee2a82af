/** What a scalar of YAML means. `unfit` says why JSON, and so Kubernetes, cannot take it. */
export type Scalar = { readonly value: string | number | boolean | null } | { readonly unfit: string };

const TAG = 'tag:yaml.org,2002:';

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...spellings(['y', 'yes', 'on', 'true'], true),
  ...spellings(['n', 'no', 'off', 'false'], false),
  ...spellings(['null'], null),
  ['', null],
  ['~', null],
]);

const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
/** Enough to be sure of every digit, so that no BigInt is needed. */
const SHORT_DECIMAL = /^(?:0|[1-9][0-9]{0,14})$/;

function spellings<T>(words: readonly string[], value: T): readonly (readonly [string, T])[] {
  return words.flatMap((word) =>
    [word, word[0]?.toUpperCase() + word.slice(1), word.toUpperCase()].map((each) => [each, value] as const),
  );
}

/**
 * The meaning of an unquoted scalar by the rules of kubectl, which are those of go-yaml 2: YAML 1.1 with exceptions. `yes` and `on` are
 * booleans, `0644` is octal, digits may be grouped by `_`; base 60, dates and a lone `=` are strings. Where kubectl would round a whole
 * number, it is unfit. Source: sigs.k8s.io/yaml, goyaml.v2/resolve.go.
 */
export function resolvePlain(text: string): Scalar {
  const word = WORDS.get(text);
  if (word !== undefined) return { value: word };
  const first = text.charCodeAt(0);
  const numeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d;
  if (!numeric && first !== 0x2e) return { value: text };
  if (SHORT_DECIMAL.test(text)) return { value: Number(text) };
  if (NOT_FINITE.test(text)) return { unfit: `${text} has no form in JSON, which Kubernetes speaks` };
  const plain = numeric ? text.replaceAll('_', '') : text;
  if (numeric && INTEGER.test(plain)) return integer(plain);
  if (!FLOAT.test(plain)) return { value: text };
  const number = Number(plain);
  return { value: Number.isFinite(number) ? withoutSign(number) : text };
}

function integer(plain: string): Scalar {
  const digits = plain.replace(/^[-+]/, '').toLowerCase();
  const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const number = Number(plain.startsWith('-') ? -value : value);
  if (Number.isSafeInteger(number)) return { value: withoutSign(number) };
  return { unfit: `the number ${plain} is too large to be passed on exactly; put it in quotes if it is meant as text` };
}

/** Go's JSON knows no negative zero for whole numbers. */
function withoutSign(number: number): number {
  return number === 0 ? 0 : number;
}

/** The meaning of a scalar that carries a tag; tags that nobody knows make a string, as for kubectl. */
export function resolveTagged(tag: string, text: string): Scalar {
  if (!tag.startsWith(TAG)) return { value: text };
  const name = tag.slice(TAG.length);
  if (name === 'binary') return binary(text);
  const accepts = ACCEPTED.get(name);
  if (accepts === undefined) return { value: text };
  const resolved = resolvePlain(text);
  if ('unfit' in resolved || accepts(resolved.value)) return resolved;
  return { unfit: `${JSON.stringify(text.slice(0, 60))} is no !!${name}` };
}

const ACCEPTED: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['bool', (value) => typeof value === 'boolean'],
  ['int', (value) => Number.isInteger(value)],
  ['float', (value) => typeof value === 'number'],
  ['null', (value) => value === null],
]);

function binary(text: string): Scalar {
  const bytes = Buffer.from(text, 'base64');
  try {
    return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { unfit: 'this !!binary is not UTF-8 text; a ConfigMap keeps such data in binaryData, a Secret in data' };
  }
}
