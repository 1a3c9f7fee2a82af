/**
 * `node test/github/slice-openapi.ts FILE`: takes out of GitHub's published OpenAPI description what this project asks of GitHub, and writes
 * it beside this file. FILE is `generated/api.github.com.deref.json` of the npm package @octokit/openapi (`npm pack @octokit/openapi`).
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonSchema, Operation, Slice } from './openapi.ts';

const ROUTES: Readonly<Record<string, readonly string[]>> = {
  '/repos/{owner}/{repo}/check-runs': ['post'],
  '/repos/{owner}/{repo}/check-runs/{check_run_id}': ['patch'],
  '/repos/{owner}/{repo}/commits/{ref}/check-runs': ['get'],
  '/repos/{owner}/{repo}/statuses/{sha}': ['post'],
  '/repos/{owner}/{repo}/commits/{commit_sha}/pulls': ['get'],
  '/repos/{owner}/{repo}/pulls/{pull_number}': ['get'],
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['patch'],
  '/repos/{owner}/{repo}/deployments': ['get', 'post'],
  '/repos/{owner}/{repo}/deployments/{deployment_id}/statuses': ['post'],
};

interface Described {
  readonly info: { readonly version: string };
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: Operation['parameters'];
            readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
          }
        >
      >
    >
  >;
}

/** A schema without what only people read, and closed: a field that GitHub does not know is a mistake here. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { description: _, example: _example, examples: _examples, ...rest } = schema as Record<string, unknown>;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === 'properties'
        ? Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, closed(each)]))
        : closed(value),
    ]),
  );
  const isOpen = inner['type'] !== 'object' || inner['properties'] === undefined;
  return isOpen || 'additionalProperties' in inner ? inner : { ...inner, additionalProperties: false };
}

const [, , file = ''] = process.argv;
const described = JSON.parse(await readFile(file, 'utf8')) as Described;
const operations = Object.entries(ROUTES).flatMap(([route, methods]) =>
  methods.map((method): Operation => {
    const found = described.paths[route]?.[method];
    if (found === undefined) throw new Error(`${file} does not describe ${method} ${route}`);
    const body = found.requestBody?.content['application/json']?.schema;
    return {
      method: method.toUpperCase(),
      route,
      parameters: (found.parameters ?? []).map(({ name, in: place, required, schema }) => ({
        name,
        in: place,
        required: required === true,
        schema: closed(schema) as JsonSchema,
      })),
      body: body === undefined ? null : (closed(body) as JsonSchema),
    };
  }),
);
const slice: Slice = { source: `@octokit/openapi ${described.info.version}`, operations };
await writeFile(path.join(import.meta.dirname, 'openapi.json'), `${JSON.stringify(slice, null, 1)}\n`);
