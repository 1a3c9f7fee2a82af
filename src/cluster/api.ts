import type { KubernetesObject, Status } from '../kubernetes.ts';

/** One request to the API server. `path` is absolute (`/apis/apps/v1/namespaces/shop/deployments/web`), never lower-cased or rewritten. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, exactly as given. */
  readonly body?: unknown;
  /** Defaults to `application/json`. */
  readonly contentType?: string;
  /** Defaults to `application/json`. */
  readonly accept?: string;
  /**
   * Holds only for what the object was when it was read, and can thus be done only once: it is sent again if its answer was lost, and the sender
   * takes a refusal for what it may be, the news that it was done the first time.
   */
  readonly guarded?: true;
  readonly signal?: AbortSignal;
}

/** What the server said. A refusal is data here: only what never reached a server, or no server, is thrown (GateError). */
export type ApiAnswer =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | { readonly ok: false; readonly status: number; readonly failure: Status };

/** Which resource serves a kind. */
export interface ApiResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** A connection to one API server, as one user. All requests are retried where that is safe, counted, timed and recorded. */
export interface Api {
  /** The server's address without credentials, for messages. */
  readonly server: string;
  /** The namespace of the kubeconfig's context, or `default`. */
  readonly namespace: string;
  /** Milliseconds since the epoch by the server's clock (the local clock, corrected by what the server's answers showed). */
  readonly now: () => number;
  readonly request: (request: ApiRequest) => Promise<ApiAnswer>;
  /** The resource that serves a kind, or null if the server knows none. `fresh` asks the server again (after a CRD was applied). */
  readonly resource: (
    apiVersion: string,
    kind: string,
    options?: { readonly fresh?: boolean },
  ) => Promise<ApiResource | null>;
}

/** The path of one object, or of a collection where `name` is empty. */
export function resourcePath(resource: ApiResource, namespace: string, name = ''): string {
  const root = resource.apiVersion.includes('/') ? `/apis/${resource.apiVersion}` : `/api/${resource.apiVersion}`;
  const scope = resource.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${resource.plural}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
}

/** A change that a watch (or a poll, or a relist) delivered. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}
