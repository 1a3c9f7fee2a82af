import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { REDACTED, redactObject, redactText } from '../../src/text/redact.ts';

/** Readable secrets of a real length, and hostile ones: quotes, backslashes, the marker itself. */
const secret = fc.oneof(
  fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme' }),
  fc.string({ minLength: 6, maxLength: 12, unit: fc.constantFrom('a', '*', '"', '\\', '\n', 'é', '$', '.', '1') }),
);
const secrets = fc.uniqueArray(secret, { minLength: 1, maxLength: 5 });

describe('redactText', () => {
  it('leaves none of the known secrets, wherever they stand', () => {
    fc.assert(
      fc.property(secrets, fc.array(fc.string(), { maxLength: 6 }), (known, between) => {
        const text = between.flatMap((part, index) => [part, known[index % known.length] ?? '']).join('');
        const redacted = redactText(text, known);
        for (const value of known)
          assert.ok(!redacted.includes(value), `${JSON.stringify(value)} in ${JSON.stringify(redacted)}`);
      }),
    );
  });

  it('leaves no known secret in base64 or percent-encoding', () => {
    fc.assert(
      fc.property(secret, (value) => {
        const base64 = Buffer.from(value).toString('base64');
        const percent = encodeURIComponent(value.toWellFormed());
        const redacted = redactText(`data: ${base64} query: ${percent}`, [value]);
        assert.ok(!redacted.includes(base64));
        assert.ok(!redacted.includes(percent));
      }),
    );
  });

  const hidden: readonly (readonly [string, string])[] = [
    ['Authorization: Bearer abc.def-ghi', 'abc.def-ghi'],
    ['GET https://user:hunter22@registry.example/v2/', 'hunter22'],
    ['postgres://app:s3cret-pw@db:5432/shop refused', 's3cret-pw'],
    ['token=eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln', 'eyJhbGciOiJSUzI1NiJ9'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
    ['DB_PASSWORD=correcthorse', 'correcthorse'],
    ['{"apiKey":"zyx987","port":1}', 'zyx987'],
    ['password: "a b c"', 'a b c'],
    ['https://x.blob.example/c?sv=1&sig=AbC%2F12', 'AbC%2F12'],
    ['using ghp_0123456789abcdefghijABCDEFGHIJ456789', 'ghp_0123456789'],
  ];
  for (const [text, value] of hidden) {
    it(`hides the credential of ${JSON.stringify(text)}`, () => {
      const redacted = redactText(text, []);
      assert.ok(!redacted.includes(value), redacted);
      assert.ok(redacted.includes(REDACTED));
    });
  }

  const kept: readonly string[] = [
    'secret "db" not found',
    "couldn't find key password in Secret shop/db",
    'references non-existent secret key: password',
    'failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://auth.example/token: 401 Unauthorized',
    'failed to fetch token: serviceaccounts "app" not found',
    'exec: "/etc/passwd": permission denied',
    'open /run/secrets/token: no such file or directory',
    'docker-pullable://registry.example/app@sha256:0123456789abcdef',
    'Back-off pulling image "registry.example/basic:v1"',
    'MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
    '0/3 nodes are available: 1 node(s) had untolerated taint {key: value}',
  ];
  for (const text of kept) it(`keeps ${JSON.stringify(text)}`, () => assert.equal(redactText(text, []), text));
});

describe('redactObject', () => {
  it('leaves no known secret in any value or key, and does not change its argument', () => {
    fc.assert(
      fc.property(secrets, fc.jsonValue({ maxDepth: 3 }), (known, rest) => {
        const value = known[0] ?? '';
        const object = { rest, list: [{ [`a${value}`]: `x${value}y` }, value], [value]: { deep: known } };
        const before = structuredClone(object);
        // The text is compared without JSON's own escapes.
        const flat = flatten(redactObject(object, known));
        for (const each of known)
          assert.ok(!flat.some((text) => text.includes(each)), `${JSON.stringify(each)} in ${JSON.stringify(flat)}`);
        assert.deepEqual(object, before);
      }),
    );
  });

  it('keeps the keys of a Secret and none of its values', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db' },
      type: 'Opaque',
      data: { password: 'aHVudGVyMg==' },
      stringData: { user: 'root' },
    };
    assert.deepEqual(redactObject(object, []), {
      ...object,
      data: { password: REDACTED },
      stringData: { user: REDACTED },
    });
  });

  it('redacts the Secret inside the annotation of kubectl apply', () => {
    const applied = JSON.stringify({ kind: 'Secret', stringData: { password: 'hunter2' } });
    const annotation = { 'kubectl.kubernetes.io/last-applied-configuration': applied };
    const redacted = JSON.stringify(redactObject({ metadata: { annotations: annotation } }, []));
    assert.ok(!redacted.includes('hunter2'));
    assert.ok(redacted.includes('stringData'));
  });

  it('hides variables by their name, and keeps references, paths and other variables', () => {
    const env = [
      { name: 'DB_PASSWORD', value: 'hunter2' },
      { name: 'STRIPE_KEY', value: 'sk-1' },
      { name: 'KEYCLOAK_URL', value: 'http://keycloak' },
      { name: 'TOKEN_FILE', value: '/var/run/token' },
      { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'api', key: 'token' } } },
      { name: 'PORT', value: '8080' },
    ];
    const [password, key, ...rest] = redactObject(env, []);
    assert.equal(password?.value, REDACTED);
    assert.equal(key?.value, REDACTED);
    assert.deepEqual(rest, env.slice(2));
  });

  it('hides the value of an option, in one argument or two', () => {
    assert.deepEqual(redactObject(['--password=abc', '--token', 'def', '--port', '80'], []), [
      '--password=***',
      '--token',
      REDACTED,
      '--port',
      '80',
    ]);
  });

  it('keeps what rules read of a pod', () => {
    const pod = {
      spec: {
        imagePullSecrets: [{ name: 'registry' }],
        volumes: [
          { name: 'keys', secret: { secretName: 'keys' } },
          { name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3607 } }] } },
        ],
        topologySpreadConstraints: [{ topologyKey: 'zone' }],
        automountServiceAccountToken: false,
      },
      status: { reason: 'Pending', message: 'secret "keys" not found' },
    };
    assert.deepEqual(redactObject(pod, []), pod);
  });
});

function flatten(value: unknown): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => [key, ...flatten(inner)]);
  return [String(value)];
}
