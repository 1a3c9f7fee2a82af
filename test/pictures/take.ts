/**
 * `npm run pictures:take`: plays the stories that no recording tells to the cluster of KUBECONFIG, and keeps their reports for
 * `npm run pictures`.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { app, documents, gate, kubectl } from '../live/cluster.ts';

const FOLDER = path.resolve(import.meta.dirname, 'reports');
const NAMESPACE = 'shop';
const QUICK = { 'stable-for': '2s' } as const;

const config = (mode: string) =>
  JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: NAMESPACE },
      data: { MODE: mode, LEVEL: 'info' },
    },
    null,
    2,
  );

const web = (tag: string, mode: string) =>
  documents(
    config(mode),
    app(NAMESPACE, {
      replicas: 3,
      container: { image: `registry.local/app:${tag}`, envFrom: [{ configMapRef: { name: 'settings' } }] },
    }),
  );

const TEN = ['cart', 'catalog', 'checkout', 'mail', 'orders', 'payment', 'search', 'shipping', 'stock', 'web'];

const ten = documents(
  ...TEN.map((name) =>
    app(NAMESPACE, {
      name,
      container:
        name === 'payment'
          ? { image: 'registry.local/app:crash' }
          : name === 'search'
            ? { image: 'registry.local/missing/app:v2.4.1' }
            : {},
    }),
  ),
);

/** What an attacker, or an unlucky error message, may write as the last words of a container. */
const HOSTILE = [
  '::error file=x::owned',
  '</details><script>alert(1)</script><img src=x onerror=alert(1)>',
  '# heading | cell | `code` **bold** ![x](https://evil.example/p.png) @everyone #1',
  '```',
  '%%{init: {}}%% click a href "javascript:alert(1)"',
].join('\n');

const hostile = app(NAMESPACE, {
  container: {
    env: [{ name: 'WORDS', value: HOSTILE }],
    command: ['sh', '-c', 'echo "$WORDS"; echo "$WORDS" > /dev/termination-log; exit 3'],
  },
});

const plan = documents(
  config('new'),
  app(NAMESPACE, { replicas: 4, container: { image: 'registry.local/app:v2' } }),
  app(NAMESPACE, {
    name: 'mail',
    spec: { strategy: { type: 'Recreate' } },
    container: { image: 'registry.local/app:v2' },
  }),
  app(NAMESPACE, { name: 'stock', container: { envFrom: [{ configMapRef: { name: 'settings' } }] } }),
  app(NAMESPACE, { name: 'audit', container: { envFrom: [{ secretRef: { name: 'audit-key' } }] } }),
);

const planned = documents(
  config('old'),
  app(NAMESPACE, { replicas: 2 }),
  app(NAMESPACE, { name: 'mail', spec: { strategy: { type: 'Recreate' } } }),
  app(NAMESPACE, { name: 'stock', container: { envFrom: [{ configMapRef: { name: 'settings' } }] } }),
);

interface Story {
  readonly name: string;
  /** What was deployed well before. */
  readonly before: string | null;
  readonly manifest: string;
  readonly inputs: Readonly<Record<string, string>>;
}

const STORIES: readonly Story[] = [
  {
    name: 'rollback',
    before: web('v1', 'old'),
    manifest: web('crash', 'new'),
    inputs: { ...QUICK, 'on-stall': 'rollback' },
  },
  { name: 'ten-workloads', before: null, manifest: ten, inputs: QUICK },
  { name: 'hostile', before: null, manifest: hostile, inputs: QUICK },
  { name: 'plan', before: planned, manifest: plan, inputs: { mode: 'plan' } },
];

const wanted = process.argv.slice(2);
for (const { name, before, manifest, inputs } of STORIES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await kubectl(['create', 'namespace', NAMESPACE]);
  try {
    if (before !== null) await gate(before, QUICK);
    const run = await gate(manifest, inputs);
    await writeFile(path.join(FOLDER, `${name}.json`), `${JSON.stringify(run.report, null, 2)}\n`);
    console.log(`${name}: ${run.report.verdict} ${run.report.cause}: ${run.report.reason}`);
  } finally {
    await kubectl(['delete', 'namespace', NAMESPACE, '--wait=true']);
  }
}
