import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly method: string;
  readonly route: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly body: JsonSchema | null;
}

/** What this project asks of GitHub, as GitHub describes it; made by slice-openapi.ts. */
export interface Slice {
  readonly source: string;
  readonly operations: readonly Operation[];
}

const slice = JSON.parse(readFileSync(path.join(import.meta.dirname, 'openapi.json'), 'utf8')) as Slice;
const ajv = new Ajv({ strict: false, coerceTypes: false, validateFormats: false });
const coercing = new Ajv({ strict: false, coerceTypes: true, validateFormats: false });

interface Compiled {
  readonly operation: Operation;
  readonly pattern: RegExp;
  readonly body: ValidateFunction | null;
  readonly query: ValidateFunction;
}

const compiled: readonly Compiled[] = slice.operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.route.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  body: operation.body === null ? null : ajv.compile(operation.body),
  query: coercing.compile({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      operation.parameters.filter((each) => each.in === 'query').map(({ name, schema }) => [name, schema]),
    ),
  }),
}));

/** A request as GitHub would understand it, and what is wrong with it. */
export interface Understood {
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/** @returns null if GitHub, as far as it is described here, has no such route */
export function understand(method: string, url: URL, body: unknown): Understood | null {
  for (const { operation, pattern, body: validBody, query } of compiled) {
    const match = operation.method === method ? pattern.exec(url.pathname) : null;
    if (match === null) continue;
    const problems = [
      ...problemsOf(query, Object.fromEntries(url.searchParams)),
      ...(validBody === null ? [] : problemsOf(validBody, body)),
      ...limits(operation.route, body),
    ];
    return { name: `${method} ${operation.route}`, params: { ...match.groups }, problems };
  }
  return null;
}

function problemsOf(valid: ValidateFunction, value: unknown): readonly string[] {
  if (valid(value)) return [];
  return (valid.errors ?? []).map((each) => `${each.instancePath} ${each.message} ${JSON.stringify(each.params)}`);
}

/** What GitHub's description says only in prose, or its documentation elsewhere. */
function limits(route: string, body: unknown): readonly string[] {
  const { description, body: text } = (body ?? {}) as { readonly description?: string; readonly body?: string };
  const isStatus = route.includes('statuses');
  return [
    ...(isStatus && (description ?? '').length > 140 ? ['description is too long (maximum is 140 characters)'] : []),
    ...((text ?? '').length > 65_536 ? ['body is too long (maximum is 65536 characters)'] : []),
  ];
}
