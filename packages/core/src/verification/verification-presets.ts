import type { CheckKind } from './verification-report.ts';
import type { VerificationCommand } from './verify-commands.ts';

/** Reads a file at the root of a project as text; null where there is none. */
export type ReadProjectFile = (path: string) => Promise<string | null>;

/** The checks that the files of a project suggest, by language; empty for an unknown project. */
export async function verificationPresets(
  read: ReadProjectFile,
): Promise<readonly VerificationCommand[]> {
  const [cargo, node, python, go] = await Promise.all([
    read('Cargo.toml'),
    nodeChecks(read),
    pythonChecks(read),
    read('go.mod'),
  ]);
  return [
    ...(cargo === null ? [] : cargoChecks),
    ...node,
    ...python,
    ...(go === null ? [] : goChecks),
  ];
}

const cargoChecks: readonly VerificationCommand[] = [
  preset('cargo-fmt', 'cargo fmt --all -- --check', { kind: 'format', required: true }),
  preset('cargo-check', 'cargo check --all-targets', { kind: 'build', required: true }),
  preset('cargo-test', 'cargo test', { kind: 'test', required: true }),
  preset('cargo-clippy', 'cargo clippy --all-targets -- -D warnings', {
    kind: 'build',
    required: false,
  }),
];

const goChecks: readonly VerificationCommand[] = [
  preset('go-test', 'go test ./...', { kind: 'test', required: true }),
  preset('go-vet', 'go vet ./...', { kind: 'lint', required: false }),
];

const nodeScripts: readonly (readonly [script: string, kind: CheckKind, required: boolean])[] = [
  ['typecheck', 'typecheck', false],
  ['lint', 'lint', false],
  ['test', 'test', true],
];

const lockFiles: readonly (readonly [file: string, manager: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

async function nodeChecks(read: ReadProjectFile): Promise<readonly VerificationCommand[]> {
  const manifest = parseObject(await read('package.json'));
  if (manifest === null) return [];
  const scripts = isObject(manifest['scripts']) ? manifest['scripts'] : {};
  const manager = await packageManager(manifest, read);
  return nodeScripts
    .filter(([script]) => typeof scripts[script] === 'string' && !isPlaceholder(scripts[script]))
    .map(([script, kind, required]) =>
      preset(`${manager}-${script}`, `${manager} run ${script}`, { kind, required }),
    );
}

async function packageManager(
  manifest: Readonly<Record<string, unknown>>,
  read: ReadProjectFile,
): Promise<string> {
  const declared = manifest['packageManager'];
  const name =
    typeof declared === 'string' ? /^(npm|pnpm|yarn|bun)@/.exec(declared)?.[1] : undefined;
  if (name !== undefined) return name;
  for (const [file, manager] of lockFiles) if ((await read(file)) !== null) return manager;
  return 'npm';
}

async function pythonChecks(read: ReadProjectFile): Promise<readonly VerificationCommand[]> {
  const [project, pytest] = await Promise.all([read('pyproject.toml'), read('pytest.ini')]);
  if (project === null && pytest === null) return [];
  const uses = (tool: string): boolean => project?.includes(tool) === true;
  return [
    preset('pytest', 'python -m pytest', { kind: 'test', required: true }),
    ...(uses('ruff')
      ? [preset('ruff', 'python -m ruff check .', { kind: 'lint', required: false })]
      : []),
    ...(uses('mypy')
      ? [preset('mypy', 'python -m mypy .', { kind: 'typecheck', required: false })]
      : []),
  ];
}

function preset(
  id: string,
  command: string,
  facts: { readonly kind: CheckKind; readonly required: boolean },
): VerificationCommand {
  return { id, description: `Run ${command}`, command, ...facts };
}

/** The script that `npm init` writes, which only fails. */
function isPlaceholder(script: unknown): boolean {
  return typeof script === 'string' && script.includes('no test specified');
}

function parseObject(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // a broken manifest suggests nothing
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
