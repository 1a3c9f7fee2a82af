/** Reads one input by its name in action.yml; empty if it was not given. */
export type GetInput = (name: string) => string;

/** A value, or a sentence on what is wrong with it. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** Reads an input by what `parse` makes of it; not given, or given wrongly, it has the fallback. */
export type Reader = <T>(name: string, parse: (text: string) => Read<T>, fallback: T) => T;

/** @param problems takes a sentence for each input that was not accepted */
export function createReader(get: GetInput, problems: string[]): Reader {
  return (name, parse, fallback) => {
    const text = get(name).trim();
    if (text === '') return fallback;
    const result = parse(text);
    if ('value' in result) return result.value;
    problems.push(`${name}: ${JSON.stringify(text.slice(0, 200))} is not accepted; ${result.problem}`);
    return fallback;
  };
}

export function oneOf<const T extends string>(choices: readonly T[]): (text: string) => Read<T> {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    return found === undefined ? { problem: `use one of ${choices.join(', ')}` } : { value: found };
  };
}
