/** What stands in place of a secret. */
export const REDACTED = '***';

/** Shorter values cannot be told from ordinary words. */
const SHORTEST = 4;

/** Names whose values are secret, of variables and of fields: `DB_PASSWORD`, `clientSecret`, `api-key`, but not `secretName`. */
const SECRET_NAME =
  /(^|[_.-]|[a-z0-9](?=[A-Z]))(pass(word|wd|phrase)?|pwd|token|secrets?|credentials?|api[_-]?key|(access|private|secret|signing|encryption|client|account|license)[_-]?key([_-](id|data))?|auth|dsn|connection[_-]?string|cookie|bearer)([_-](value|base64|b64|data))?$/i;
const SECRET_VARIABLE = /pass(word|wd|phrase)|token|secret|credential|(^|_)(key|pass|pwd|auth|dsn)(_|$)|apikey/i;
/** Variables that point at a secret instead of holding one, and paths. */
const POINTER = /^(\/|\.{1,2}\/)[\w./-]*$|^\$\(\w+\)$|^(true|false|\d{1,3})?$/i;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether any of the patterns below could match, so that ordinary text costs one look. */
const SUSPICIOUS =
  /bearer|basic |:\/\/|eyJ|PRIVATE KEY|pass|pwd|token|secret|credential|key|sig|gh[a-z]_|github_pat|AKIA|ASIA|xox|glpat|auth|cookie/i;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\b(bearer|basic)(\s+|%20)[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  // Credentials in an address; `docker-pullable://name@sha256:…` has none.
  [/\b((?:https?|wss?|ftps?|git|ssh):\/\/)[^\s/@"'<>]+@/gi, `$1${REDACTED}@`],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@:"'<>]*:[^\s/@"'<>]+@(?!sha\d)/gi, `$1${REDACTED}@`],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}(\.[\w-]*)?/g, REDACTED],
  [
    /\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|xox[abprs]-[\w-]{10,}|(AKIA|ASIA)[A-Z0-9]{16})\b/g,
    REDACTED,
  ],
  [
    /([?&](?:[\w-]*(?:token|signature|secret|password|key|credential)[\w-]*|sig|auth|code)=)[^&\s"'<>]+/gi,
    `$1${REDACTED}`,
  ],
];

/** `password: …`, `"apiKey":"…"`, `TOKEN=…` in a text, but not what follows a path. */
const ASSIGNMENT =
  /(?<![/\w.])(["']?\b[\w.-]*(?:password|passwd|passphrase|pwd|token|secret|api[_-]?key|access[_-]?key|private[_-]?key|client-key-data|credentials?)["']?)(\s*=\s*|\s*:\s*)("(?:[^"\\]|\\.)*"|'[^'\n]*'|[^\s"',;&}\]]+)/gi;

/** In prose a colon follows a word as well: "failed to fetch token: unexpected status" is the cause, not a secret. */
function withoutAssignment(whole: string, name: string, sign: string, value: string): string {
  const prose = sign.includes(':') && /^([a-z]+|\d{1,3})$/i.test(value) && !/pass|pwd/i.test(name);
  return prose ? whole : `${name}${sign}${REDACTED}`;
}

/**
 * Takes secrets out of a text: the known values, in every form in which they travel (plain, base64, percent-encoded), and whatever looks like a
 * credential. Values shorter than four characters are left.
 *
 * @param secrets known values, e.g. the token of the kubeconfig
 */
export function redactText(text: string, secrets: readonly string[]): string {
  return withoutValues(withoutPatterns(withoutValues(text, secrets)), secrets);
}

function withoutPatterns(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const rest = PATTERNS.reduce((before, [pattern, replacement]) => before.replace(pattern, replacement), text);
  return rest.replace(ASSIGNMENT, withoutAssignment);
}

/** Again until none is left: what is put in a secret's place can complete another one. Each round makes the text shorter. */
function withoutValues(text: string, secrets: readonly string[]): string {
  const pattern = patternOf(secrets);
  if (pattern === null) return text;
  let rest = text;
  while (pattern.test(rest)) {
    pattern.lastIndex = 0;
    rest = rest.replace(pattern, REDACTED);
  }
  pattern.lastIndex = 0;
  return rest;
}

let compiled: { readonly secrets: readonly string[]; readonly pattern: RegExp | null } = { secrets: [], pattern: null };

function patternOf(secrets: readonly string[]): RegExp | null {
  const same =
    secrets.length === compiled.secrets.length && secrets.every((secret, index) => secret === compiled.secrets[index]);
  if (!same) compiled = { secrets: [...secrets], pattern: compile(secrets) };
  return compiled.pattern;
}

function compile(secrets: readonly string[]): RegExp | null {
  const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(formsOf));
  if (forms.size === 0) return null;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return new RegExp(longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const encoded = encodeURIComponent(secret.toWellFormed());
  return [secret, base64, base64.replace(/=+$/, ''), encoded, JSON.stringify(secret).slice(1, -1)].filter(
    (form) => form.length >= SHORTEST,
  );
}

/**
 * Takes secrets out of an API object or any other plain data, keeping its shape: the values of Secrets, of variables and fields whose name
 * says so, what stands in the annotation of `kubectl apply`, and in every text what `redactText` finds. The argument is not changed.
 */
export function redactObject<T>(object: T, secrets: readonly string[]): T {
  // The shape is kept; only strings (and numbers that are a secret) become other strings.
  return redactValue(object, '', secrets) as T;
}

function redactValue(value: unknown, name: string, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactString(value, name, secrets);
  if (typeof value === 'number' || typeof value === 'bigint')
    return withoutValues(String(value), secrets) === String(value) ? value : REDACTED;
  if (Array.isArray(value)) return value.map((item: unknown, index) => redactItem(item, value[index - 1], secrets));
  if (typeof value !== 'object' || value === null) return value;
  return redactRecord(value as Readonly<Record<string, unknown>>, secrets);
}

function redactString(value: string, name: string, secrets: readonly string[]): string {
  if (SECRET_NAME.test(name) && !POINTER.test(value)) return REDACTED;
  if (name === LAST_APPLIED) return redactJson(value, secrets);
  return redactText(value, secrets);
}

function redactJson(text: string, secrets: readonly string[]): string {
  try {
    return JSON.stringify(redactValue(JSON.parse(text), '', secrets));
  } catch {
    return redactText(text, secrets);
  }
}

/** The value of an option in a list of arguments stands in the item after its name. */
function redactItem(item: unknown, before: unknown, secrets: readonly string[]): unknown {
  const option = typeof before === 'string' && /^--?[a-z][\w-]*$/i.test(before) ? before.replace(/^-+/, '') : '';
  return redactValue(item, typeof item === 'string' && SECRET_NAME.test(option) ? option : '', secrets);
}

function redactRecord(record: Readonly<Record<string, unknown>>, secrets: readonly string[]): Record<string, unknown> {
  const isSecret = record['kind'] === 'Secret';
  const isVariable =
    typeof record['name'] === 'string' && typeof record['value'] === 'string' && SECRET_VARIABLE.test(record['name']);
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    const name = uniqueKey(withoutValues(key, secrets), copy);
    // defineProperty: a key such as `__proto__` is data here.
    Object.defineProperty(copy, name, {
      value: redactField(key, value, { isSecret, isVariable }, secrets),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

function redactField(
  key: string,
  value: unknown,
  of: { readonly isSecret: boolean; readonly isVariable: boolean },
  secrets: readonly string[],
): unknown {
  if (of.isSecret && (key === 'data' || key === 'stringData') && typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.keys(value).map((name) => [withoutValues(name, secrets), REDACTED]));
  }
  if (of.isVariable && key === 'value' && typeof value === 'string' && !POINTER.test(value)) return REDACTED;
  return redactValue(value, key, secrets);
}

function uniqueKey(key: string, taken: Readonly<Record<string, unknown>>): string {
  if (!Object.hasOwn(taken, key)) return key;
  for (let count = 2; ; count += 1) if (!Object.hasOwn(taken, `${key} (${count})`)) return `${key} (${count})`;
}
