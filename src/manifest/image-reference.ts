/** A container image reference, taken apart. */
export interface ImageReference {
  /** With the registry, as Docker completes it: `docker.io/library/nginx` for `nginx`. */
  readonly repository: string;
  /** `:tag`, `@sha256:…`, both, or empty. */
  readonly suffix: string;
}

/** Source: the grammar of distribution/reference. */
const REFERENCE =
  /^(?<repository>(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*)(?<tag>:[\w][\w.-]{0,127})?(?<digest>@[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,})?$/;

/** null for what is no valid reference. */
export function parseImage(image: string): ImageReference | null {
  const groups = REFERENCE.exec(image)?.groups;
  if (groups === undefined) return null;
  return {
    repository: complete(groups['repository'] ?? ''),
    suffix: `${groups['tag'] ?? ''}${groups['digest'] ?? ''}`,
  };
}

function complete(repository: string): string {
  const [first, ...rest] = repository.split('/');
  if (first === undefined) return repository;
  const hasRegistry = rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost');
  if (!hasRegistry) return rest.length === 0 ? `docker.io/library/${repository}` : `docker.io/${repository}`;
  if (first !== 'docker.io' && first !== 'index.docker.io') return repository;
  return rest.length === 1 ? `docker.io/library/${rest[0]}` : `docker.io/${rest.join('/')}`;
}
