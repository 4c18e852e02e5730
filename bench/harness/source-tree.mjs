import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Changes when what is written below changes: an older tree is made anew. */
const version = 1;
const files = 24_000;
const filesPerDirectory = 20;
const smallTree = 1_000;
const ignoredFiles = 6_000;

/**
 * A tree like a large repository, the same on every machine: 24,000 files of invented source, 170 MB, of all sizes, 6,000
 * more that nested ignore files leave out. Made once, into `bench/corpora/`. Returns the directory, and the name of a
 * directory in it with 1,000 files.
 *
 * In it: `useState` in 6 % of the files, `AbortController` in 2 %, functions named `…Handler` in 4 %, `QXZW-4711` and the like in 2 %,
 * `convertToModelMessages` in 6 files, and no `zqxjkvbnotthere`.
 */
export function sourceTree() {
  const root = fileURLToPath(new URL('../corpora/source-tree/', import.meta.url)).replace(
    /\/$/,
    '',
  );
  const done = `${root}.done-${version}`;
  if (!existsSync(done)) {
    rmSync(root, { recursive: true, force: true });
    writeTree(root);
    writeFileSync(done, '');
  }
  return { root, small: 'src/part0' };
}

/** Invented source of about `bytes` bytes; equal for equal arguments. */
export function sourceText(seed, bytes) {
  const random = randomFrom(seed);
  const parts = [];
  for (let size = 0; size < bytes;) {
    const line = lineOf(random);
    size += line.length;
    parts.push(line);
  }
  return parts.join('');
}

function writeTree(root) {
  const random = randomFrom(1);
  mkdirSync(`${root}/.git`, { recursive: true });
  writeFileSync(`${root}/.gitignore`, 'node_modules\n*.map\n/build/\n*.log\n!keep.log\n');
  const extensions = ['ts', 'ts', 'ts', 'tsx', 'js', 'js', 'json', 'md', 'css', 'test.ts'];
  for (let number = 0; number < files; number += 1) {
    const part = Math.floor(number / smallTree);
    const directory = `${root}/src/part${part}/${words[part % 90]}${Math.floor((number % smallTree) / filesPerDirectory)}`;
    if (number % filesPerDirectory === 0) mkdirSync(directory, { recursive: true });
    if (number % 200 === 0) writeFileSync(`${directory}/.gitignore`, '/generated\n*.tmp\n');
    // Most files are small, a few large: as in real trees.
    const bytes = Math.min(200 * Math.exp(random() * 4 + random() * 2.4), 400_000);
    const extension = extensions[Math.floor(random() * extensions.length)];
    writeFileSync(
      `${directory}/${identifier(random)}${number}.${extension}`,
      sourceText(number + 10, bytes) + needles(number, random),
    );
  }
  for (let number = 0; number < ignoredFiles; number += 1) {
    const directory = `${root}/node_modules/package${Math.floor(number / 30)}`;
    if (number % 30 === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/file${number}.js`, sourceText(number % 50, 2_000));
  }
}

function needles(number, random) {
  const lines = [];
  if (number % 16 === 0) lines.push('  const [state, setState] = useState(initial);\n');
  if (number % 50 === 0) lines.push('  const controller = new AbortController();\n');
  if (number % 25 === 0) lines.push(`export function ${identifier(random)}Handler(event) {\n`);
  if (number % 50 === 1) lines.push(`// see ticket QXZW-${4711 + number}\n`);
  if (number % 4000 === 0) lines.push('  const messages = convertToModelMessages(input);\n');
  return lines.join('');
}

const syllables =
  'ab ac ad al an ar as at be bo ca ce co cu da de di do el en er es fa fi fo ga ge go ha he in ir is it ka ki la le li lo ma me mi mo na ne no or pa pe po ra re ri ro sa se si so ta te ti to un ur va ve vi'.split(
    ' ',
  );
const words = (() => {
  const random = randomFrom(7);
  const made = new Set();
  while (made.size < 3_000) {
    let word = '';
    for (let count = 2 + Math.floor(random() * 3); count > 0; count -= 1)
      word += pick(syllables, random);
    made.add(word);
  }
  return [...made];
})();

function lineOf(random) {
  const a = identifier(random);
  const b = identifier(random);
  const indent = '  '.repeat(Math.floor(random() * 4));
  switch (Math.floor(random() * 9)) {
    case 0:
      return `${indent}const ${a} = await ${b}(${word(random)}, ${Math.floor(random() * 500)});\n`;
    case 1:
      return `${indent}if (${a} === undefined) return ${b};\n`;
    case 2:
      return `${indent}// ${word(random)} ${word(random)} the ${word(random)} of ${a}, when ${word(random)} is ${word(random)}\n`;
    case 3:
      return `${indent}return { ${a}, ${b}: ${a}.map((${word(random)}) => ${word(random)}.length) };\n`;
    case 4:
      return `import { ${a}, ${b} } from './${word(random)}-${word(random)}.js';\n`;
    case 5:
      return `${indent}throw new Error(\`${word(random)} ${word(random)} \${${a}}\`);\n`;
    case 6:
      return `${indent}}\n\n`;
    case 7:
      return `export function ${a}(${b}: string, ${word(random)}: number): void {\n`;
    default:
      return `${indent}"${word(random)}_${word(random)}": "${b}",\n`;
  }
}

function identifier(random) {
  const second = word(random);
  return word(random) + second[0].toUpperCase() + second.slice(1);
}

/** Some words are much more common than others. */
function word(random) {
  return words[Math.floor(random() ** 2.5 * words.length)];
}

function pick(list, random) {
  return list[Math.floor(random() * list.length)];
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
