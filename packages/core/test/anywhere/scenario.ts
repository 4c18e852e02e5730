// What is run on every platform: one session whose every outcome is fixed, so that two platforms can be compared.
import {
  canonicalJson,
  createHost,
  createValidator,
  defineProvider,
  defineTool,
  memoryWorkspace,
  sha256Hex,
  type ToolEvent,
  type ToolResult,
} from '@toolwright/core';

/** All that can be seen of the session; JSON. */
export interface ScenarioOutcome {
  readonly results: readonly ToolResult[];
  readonly events: readonly ToolEvent[];
  readonly digest: string;
  readonly artifact: string;
  readonly verdicts: readonly boolean[];
}

const input = {
  type: 'object',
  properties: {
    file_path: { type: 'string', minLength: 1 },
    copies: { type: 'integer', minimum: 1, maximum: 9_000, default: 1 },
    tag: { type: 'string', pattern: '^[a-z]{1,8}$' },
  },
  required: ['file_path'],
  additionalProperties: false,
} as const;

const repeat = defineTool({
  name: 'repeat',
  description: 'Gives the text of a file some times over.',
  input,
  requires: ['files.read'],
  capabilities: { readOnly: true, idempotent: true, maxParallelism: 8 },
  effects: ({ file_path }) => [{ kind: 'read', target: file_path }],
  run: async ({ file_path, copies }, context) => {
    const reader = await context.workspace.files.openRead(file_path);
    try {
      const text = new TextDecoder().decode(await reader.read(0, 4_096));
      const lines = Array.from({ length: copies }, (_, index) => `${index} ${text}`);
      return { output: lines.join(''), metadata: { length: text.length } };
    } finally {
      await reader.close();
    }
  },
});

const save = defineTool({
  name: 'save',
  description: 'Writes a file.',
  input: {
    type: 'object',
    properties: { file_path: { type: 'string' }, content: { type: 'string' } },
    required: ['file_path', 'content'],
    additionalProperties: false,
  },
  requires: ['files.write'],
  effects: ({ file_path }) => [{ kind: 'write', target: file_path }],
  run: async ({ file_path, content }, context) => {
    const transaction = await context.workspace.writer.begin();
    try {
      await transaction.stage({
        kind: 'write',
        path: file_path,
        content: new TextEncoder().encode(content),
        expected: { kind: 'absent' },
      });
      const [change] = await transaction.promoteAll();
      return { output: `wrote ${change?.path ?? 'nothing'}` };
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  },
});

/** Runs the session: validation with a repair and a refusal, policy, projection, evidence, hidden secrets, an artifact. */
export async function runScenario(): Promise<ScenarioOutcome> {
  const host = createHost({
    providers: [defineProvider({ name: 'copies', version: '1.0.0', tools: [repeat, save] })],
    policy: { preset: 'guarded', allow: ['write:out/**'], deny: ['read:private/**'] },
    secrets: ['correct-horse-battery'],
    clock: () => 1_700_000_000_000,
    random: () => 0.5,
  });
  const session = await host.open({
    id: 'session-anywhere',
    workspace: memoryWorkspace({
      files: { 'a.txt': 'é😀 correct-horse-battery\n', 'private/b.txt': 'hidden\n' },
    }),
  });
  const events = session.events();
  const call = (id: string, name: string, args: Readonly<Record<string, string | number>>) =>
    session.invoke({ id, name, arguments: args });
  const results = [
    await call('plain', 'repeat', { file_path: 'a.txt' }),
    await call('repaired', 'repeat', { file_path: 'a.txt', copies: '2' }),
    await call('invalid', 'repeat', { file_path: 'a.txt', tag: 'NO' }),
    await call('denied', 'repeat', { file_path: 'private/b.txt' }),
    await call('asked', 'save', { file_path: 'elsewhere.txt', content: 'x' }),
    await call('allowed', 'save', { file_path: 'out/c.txt', content: 'naïve\n' }),
    await call('read back', 'repeat', { file_path: 'out/c.txt' }),
    await call('projected', 'repeat', { file_path: 'a.txt', copies: 9_000 }),
    await call('unknown', 'repaet', {}),
  ];
  const [artifact] = await session.artifacts.list();
  if (artifact === undefined) throw new Error('Nothing was kept.');
  const kept = await session.artifacts.read(artifact.uri, { start: 0, length: artifact.bytes });
  await session.close();
  const seen: ToolEvent[] = [];
  for await (const event of events) seen.push(withoutOpening(event));
  return {
    results,
    events: seen,
    digest: sha256Hex(new TextEncoder().encode(canonicalJson({ b: [1, 2.5, 'é😀'], a: null }))),
    artifact: sha256Hex(kept),
    verdicts: await verdicts(),
  };
}

/** Each opening of a session gives its approvals ids that no other gives. */
function withoutOpening(event: ToolEvent): ToolEvent {
  return JSON.parse(JSON.stringify(event).replaceAll(/approval-[0-9a-f]{12}-/g, 'approval-'));
}

/** Where generated code is forbidden the schema stays interpreted; what it admits is the same. */
async function verdicts(): Promise<readonly boolean[]> {
  const validator = createValidator(input);
  await validator.compile();
  return [
    { file_path: 'a', tag: 'abc' },
    { file_path: '' },
    { file_path: 'a', copies: 0.5 },
    { file_path: 'a', more: 1 },
  ].map((value) => validator.check(value).valid);
}
