// Assembles src/scan/scanner.wat and writes it as base64 into src/scan/scanner-binary.ts.
// `node scripts/build-scanner.mjs --check` only says whether that file is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

const source = new URL('../src/scan/scanner.wat', import.meta.url);
const target = new URL('../src/scan/scanner-binary.ts', import.meta.url);

const { parseWat } = await wabt();
const module = parseWat('scanner.wat', readFileSync(source, 'utf8'), { simd: true });
const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64');
const lines = base64.match(/.{1,90}/g).map((line) => `  '${line}',\n`);
const text = `/** scanner.wat assembled (\`node scripts/build-scanner.mjs\`), as base64. */
export const scannerBinary = [
${lines.join('')}].join('');
`;
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    process.stderr.write('scanner-binary.ts is out of date: run scripts/build-scanner.mjs\n');
    process.exitCode = 1;
  }
} else writeFileSync(target, text);
