import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Bundles a script of this folder, so that plain Node can run it; returns where it is. */
export async function bundleChild(name: string, folder: string): Promise<string> {
  const outDir = join(folder, 'bundle');
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@toolwright/source'] },
    ssr: { noExternal: true, resolve: { conditions: ['@toolwright/source'] } },
    build: {
      ssr: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
      outDir,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  });
  return join(outDir, `${name}.mjs`);
}
