import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/**
 * Of client-node only the kubeconfig is used, and importing the rest of it has no effect: 914 generated models stay out. Importing undici has none
 * that is needed either: the copy that comes with @actions/core, for tokens of OpenID Connect, stays out.
 */
const WITHOUT_EFFECT = /node_modules[/\\](@kubernetes[/\\]client-node[/\\]dist[/\\](?!polyfill)|undici[/\\])/;
/** The innermost package folder of a module. */
const PACKAGE_FOLDER = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/;

/** Beside the bundle, the licenses of the packages that went into it, in alphabetical order. */
function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((part) =>
        part.type === 'chunk' ? Object.entries(part.modules) : [],
      );
      const kept = modules
        .filter(([, module]) => module.renderedLength > 0)
        .map(([id]) => PACKAGE_FOLDER.exec(id.replaceAll('\0', ''))?.[0]);
      const folders = [...new Set(kept.filter((folder) => folder !== undefined))];
      const texts = folders.map(licenseOf).sort();
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: texts.join(`\n${'-'.repeat(80)}\n\n`) });
    },
  };
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Readonly<
    Record<string, string>
  >;
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text =
    file === undefined ? '' : `\n${readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  plugins: [licenses()],
  treeshake: { moduleSideEffects: [{ test: WITHOUT_EFFECT, sideEffects: false }] },
  output: { file: 'dist/index.js', format: 'esm', minify: true, codeSplitting: false, comments: false },
});
