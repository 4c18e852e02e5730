import { isBuiltin } from 'node:module';
import { build } from 'vite';

/**
 * Bundles a file of this folder with core's own source for a browser, as one script that defines `name`. Errors: a module
 * that asks for a built-in of Node.
 */
export async function bundleForBrowser(file: string, name: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: import.meta.dirname,
    resolve: { conditions: ['@toolwright/source', 'browser', 'import', 'default'] },
    plugins: [
      {
        name: 'no-node-built-ins',
        enforce: 'pre',
        resolveId: (source, importer) => {
          if (!isBuiltin(source)) return null;
          throw new Error(`${importer ?? file} imports ${source}, which no browser has.`);
        },
      },
    ],
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: file, formats: ['iife'], name },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [bundle] = [built].flat();
  if (bundle === undefined || !('output' in bundle)) throw new Error('Nothing was built.');
  return bundle.output[0].code;
}
