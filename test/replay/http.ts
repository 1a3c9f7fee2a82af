import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Asked } from './answers.ts';

/** Reads a request to its end. */
export async function readRequest(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const url = new URL(request.url ?? '/', 'http://replay');
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
}

/** Answers with JSON, or with text as it is. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'Content-Type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
