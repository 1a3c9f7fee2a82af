import { defineConfig } from 'rolldown';

/** One file, without what is not used: of client-node only the kubeconfig is, and importing the rest of it has no effect. */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  treeshake: {
    moduleSideEffects: [
      { test: /@kubernetes[/\\]client-node[/\\]dist[/\\](?!polyfill)/, sideEffects: false },
    ],
  },
  output: { file: 'dist/index.js', format: 'esm', minify: true, codeSplitting: false, legalComments: 'none' },
});
