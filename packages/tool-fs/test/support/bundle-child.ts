import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Bundles a script from source, since Node 20 runs no TypeScript; the path of what came out. */
export async function bundleChild(source: URL, folder: string): Promise<string> {
  const script = fileURLToPath(source);
  const name = `${basename(script, '.ts')}.mjs`;
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@toolwright/source'] },
    ssr: { noExternal: true, resolve: { conditions: ['@toolwright/source'] } },
    build: {
      ssr: script,
      outDir: join(folder, 'bundle'),
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: name } },
    },
  });
  return join(folder, 'bundle', name);
}
