/** What a registry or the container runtime said when an image could not be pulled. */
export type PullFailure = 'platform' | 'unauthorized' | 'unknown-host' | 'unavailable' | 'not-found' | 'unknown';

const PATTERNS: readonly (readonly [PullFailure, RegExp])[] = [
  // "no match for platform in manifest …: not found" is not a missing image.
  ['platform', /no match for platform|no matching manifest for|image operating system .* cannot be used/i],
  ['unknown-host', /no such host|server misbehaving|name resolution|could not resolve host/i],
  [
    'unavailable',
    /too many requests|toomanyrequests|rate limit|\b(429|500|502|503|504) |internal server error|bad gateway|service unavailable|gateway time-?out|timeout|timed out|deadline exceeded|unexpected EOF|\bEOF\b|connection refused|connection reset|no route to host|network is unreachable|tls:|x509|certificate|http: server gave HTTP response/i,
  ],
  [
    'unauthorized',
    /unauthorized|\b401\b|\b403\b|forbidden|access denied|requested access|insufficient_scope|insufficient scope|no basic auth|authorization failed|authentication required|denied:|permission "?[\w.]+"? denied/i,
  ],
  [
    'not-found',
    /not found|manifest unknown|manifest_unknown|name unknown|name_unknown|does not exist|no such image|repository name not known/i,
  ],
];

/**
 * Tells the failures apart by the text of containerd, CRI-O and the usual registries. The image's own name and every address are taken
 * out first: a repository called `denied/app` or a tag `v404` says nothing about the failure.
 */
export function classifyPullError(message: string, image: string): PullFailure {
  const text = withoutNames(message, image);
  return PATTERNS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unknown';
}

function withoutNames(message: string, image: string): string {
  const repository = image.replace(/@sha256:[0-9a-f]+$/, '').replace(/:[^:/]*$/, '');
  return message
    .replace(/https?:\/\/[^\s"]+/g, '<url> ')
    .replaceAll(image, '<image>')
    .replaceAll(repository, '<image>')
    .replace(/sha256:[0-9a-f]{8,}/g, '<digest>');
}

/** The registry that an image reference names: `docker.io` where it names none. */
export function registryOf(image: string): string {
  const first = image.split('/')[0] ?? '';
  const named = image.includes('/') && (first.includes('.') || first.includes(':') || first === 'localhost');
  return named ? first : 'docker.io';
}

/** The server's own words, without the wrapping of the layers that passed them on. */
export function pullReason(message: string): string {
  const text = message
    .replace(/^Back-off pulling image "[^"]*":?\s*/, '')
    .replace(/^(ErrImagePull|Failed to pull image "[^"]*"):\s*/, '');
  return text
    .replace(/rpc error: code = \w+ desc = /g, '')
    .replace(/failed to pull and unpack image "[^"]*": /g, '')
    .replace(/failed to resolve (reference|image)( "[^"]*")?: /g, '');
}
