import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Bundles a script of this folder from source, since Node 20 runs no TypeScript; the path of what came out. */
export async function bundleChild(name: string, folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@toolwright/source'] },
    ssr: { noExternal: true, resolve: { conditions: ['@toolwright/source'] } },
    build: {
      ssr: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
      outDir: join(folder, 'bundle'),
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: `${name}.mjs` } },
    },
  });
  return join(folder, 'bundle', `${name}.mjs`);
}
