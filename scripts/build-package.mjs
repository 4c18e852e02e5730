// Usage, as a package's build script: node ../../scripts/build-package.mjs [ENTRY…]
// Builds dist/: declarations by tsc, one file a module; code by rolldown, as few files as the entries allow. Entries are
// what package.json names under exports, imports and bin, and the given ones: files that are loaded by their own URL, such
// as workers. What entries share becomes chunks, so a class or a singleton exists once.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const compiler = join(import.meta.dirname, '..', 'node_modules', '.bin', 'tsc');
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
await Promise.all([declare(), bundle([...entriesOf(manifest), ...process.argv.slice(2)])]);

function declare() {
  return new Promise((done, fail) => {
    const args = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--sourceMap', 'false'];
    const child = spawn(compiler, args, {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    child.on('error', fail);
    child.on('close', (code) => (code === 0 ? done() : process.exit(1)));
  });
}

async function bundle(entries) {
  const build = await rolldown({
    input: Object.fromEntries(entries.map((file) => [nameOf(file), file])),
    platform: 'node',
    tsconfig: false,
    transform: { target: 'es2022' },
    // Other packages stay imports, and so does what this one chooses by platform (`#name`).
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:/u.test(id),
    plugins: [keepModuleUrls()],
    experimental: { nativeMagicString: true },
  });
  await build.write({
    dir: 'dist',
    format: 'es',
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: false,
    entryFileNames: ({ name }) => fileOf(name),
    chunkFileNames: 'chunks/[name].js',
  });
  await build.close();
}

/** The source files behind what the package offers: `./src/…` stands beside each `./dist/…`, or under the same name. */
function entriesOf({ exports = {}, imports = {}, bin = {} }) {
  const files = new Set();
  const visit = (target) => {
    if (typeof target === 'object') Object.values(target).forEach(visit);
    else if (/^\.\/dist\/.*\.js$/u.test(target)) {
      files.add(target.replace('./dist/', './src/').replace(/\.js$/u, '.ts'));
    }
  };
  [exports, imports, bin].forEach(visit);
  return files;
}

/** `./src/testing/index.ts` is built as `testing/index`; plain JavaScript keeps its ending. */
function nameOf(file) {
  return relative(resolve('src'), resolve(file))
    .replaceAll('\\', '/')
    .replace(/\.m?ts$/u, '');
}

function fileOf(name) {
  return name.endsWith('.mjs') ? name : `${name}.js`;
}

/**
 * Files beside a module (workers, the manifest) are found by `import.meta.url`: it goes on naming the place that the module
 * would have in dist/, whatever chunk it has become a part of.
 */
function keepModuleUrls() {
  const distMark = '__dist__/';
  return {
    name: 'keep-module-urls',
    transform(code, id, { magicString }) {
      if (!code.includes('import.meta.url')) return undefined;
      const url = `new URL("${distMark}${fileOf(nameOf(id))}", import.meta.url).href`;
      return { code: magicString.replaceAll('import.meta.url', url) };
    },
    renderChunk(code, { fileName }, ...[, { magicString }]) {
      if (!code.includes(distMark)) return undefined;
      const up = '../'.repeat(fileName.split('/').length - 1) || './';
      return { code: magicString.replaceAll(distMark, up) };
    },
  };
}
