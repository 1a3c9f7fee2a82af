/** A container image reference, taken apart. */
export interface ImageReference {
  /** With the registry, as Docker completes it: `docker.io/library/nginx` for `nginx`. */
  readonly repository: string;
  /** As it was written, without tag and digest. */
  readonly familiar: string;
  /** `:tag`, `@sha256:…`, both, or empty. */
  readonly suffix: string;
}

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const HOST = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?';
const DIGEST = '(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})';

/** Source: the grammar of github.com/distribution/reference. */
const REFERENCE = new RegExp(
  `^((?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*)((?::[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127})?(?:@${DIGEST})?)$`,
);

const LONGEST_REPOSITORY = 255;

/** null for what is no valid reference. */
export function parseImage(image: string): ImageReference | null {
  const [, familiar, suffix] = REFERENCE.exec(image) ?? [];
  if (familiar === undefined || suffix === undefined || familiar.length > LONGEST_REPOSITORY) return null;
  const repository = complete(familiar);
  return repository === null ? null : { repository, familiar, suffix };
}

/** Docker's rule on what of a name is a registry; null where a path is not in lower case. */
function complete(repository: string): string | null {
  const slash = repository.indexOf('/');
  const first = slash < 0 ? '' : repository.slice(0, slash);
  const isHost = /[.:[A-Z]/.test(first) || first === 'localhost';
  if (!isHost) return slash < 0 ? `docker.io/library/${repository}` : `docker.io/${repository}`;
  const rest = repository.slice(slash + 1);
  if (first !== 'docker.io' && first !== 'index.docker.io') return `${first.toLowerCase()}/${rest}`;
  return rest.includes('/') ? `docker.io/${rest}` : `docker.io/library/${rest}`;
}
