const SECRET_KEY = /token|password|secret|client-key-data|refresh|api-?key|credential/i;
const SECRET_NAME = /TOKEN|PASSWORD|SECRET|KEY|CREDENTIAL/i;
/** Shorter values would mask half the log. */
const SHORTEST_SECRET = 6;

/**
 * The secret values in an entry of a kubeconfig, one by one: tokens, passwords, key data as it stands and line by line as PEM, what an exec
 * plugin gets in its environment, credentials in addresses.
 */
export function secretsOfUser(entry: Readonly<Record<string, unknown>>): readonly string[] {
  const found = new Set<string>();
  collect(entry, '', found);
  return [...found].filter((value) => value.length >= SHORTEST_SECRET);
}

function collect(value: unknown, key: string, found: Set<string>): void {
  if (Array.isArray(value)) {
    collectList(value, found);
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) collect(inner, name, found);
    return;
  }
  if (typeof value !== 'string') return;
  const login = /^[a-z][a-z0-9+.-]*:\/\/([^/@]*)@/i.exec(value)?.[1];
  if (login !== undefined)
    for (const part of [login, ...login.split(':').slice(1)]) for (const form of forms(part)) found.add(form);
  if (SECRET_KEY.test(key) && !/file$/i.test(key)) for (const form of forms(value)) found.add(form);
  if (key === 'client-key-data')
    for (const line of Buffer.from(value, 'base64').toString('utf8').split('\n'))
      if (!line.startsWith('-----')) found.add(line.trim());
}

/** `env` of an exec plugin is a list of names and values; arguments may be `--token=…` or a name followed by its value. */
function collectList(list: readonly unknown[], found: Set<string>): void {
  for (const [index, item] of list.entries()) {
    if (typeof item === 'string') collectArgument(item, list[index - 1], found);
    else if (isNamedValue(item)) collect(item.value, SECRET_NAME.test(item.name) ? 'secret' : '', found);
    else collect(item, '', found);
  }
}

function isNamedValue(item: unknown): item is { readonly name: string; readonly value: unknown } {
  return (
    typeof item === 'object' && item !== null && 'name' in item && 'value' in item && typeof item.name === 'string'
  );
}

function collectArgument(argument: string, before: unknown, found: Set<string>): void {
  const assigned = /^--?([\w-]+)=(.*)$/s.exec(argument);
  if (assigned?.[1] !== undefined && SECRET_KEY.test(assigned[1])) collect(assigned[2], 'secret', found);
  else if (typeof before === 'string' && /^--?[\w-]+$/.test(before) && SECRET_KEY.test(before))
    collect(argument, 'secret', found);
}

function forms(value: string): string[] {
  const trimmed = value.trim();
  const plain = trimmed.includes('%') ? decodeSafely(trimmed) : trimmed;
  return [...new Set([trimmed, plain])];
}

function decodeSafely(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
