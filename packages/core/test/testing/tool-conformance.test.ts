import { expect, test } from 'vitest';
import {
  defineProvider,
  defineTool,
  memoryWorkspace,
  parallelRead,
  ToolError,
  type ToolSpec,
} from '../../src/index.ts';
import { runConformance, toolConformance } from '../../src/testing/index.ts';

const input = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
} as const;

const workspace = () => memoryWorkspace({ files: { 'a.txt': 'hello' } });

type Spec = ToolSpec<
  typeof input,
  Record<string, never>,
  readonly ['files.read', 'files.write'],
  readonly []
>;

/** A tool that reads a file well, with what a test changes about it. */
function provider(change: Partial<Spec> = {}) {
  const tool = defineTool({
    name: 'size',
    description: 'Tells the first bytes of a file.',
    input,
    examples: [{ path: 'a.txt' }],
    requires: ['files.read', 'files.write'],
    capabilities: parallelRead(4),
    effects: ({ path }: { readonly path: string }) => [{ kind: 'read', target: path }],
    run: async ({ path }, { workspace: { files } }) => {
      const reader = await files.openRead(path);
      try {
        return { output: new TextDecoder().decode(await reader.read(0, 64)) };
      } finally {
        await reader.close();
      }
    },
    ...change,
  });
  return defineProvider({ name: 'family', version: '1.0.0', tools: [tool] });
}

toolConformance(test, provider(), { workspace });

async function failures(change: Partial<Spec>): Promise<readonly string[]> {
  const report = await runConformance(provider(change), { workspace });
  return report.checks.filter(({ ok }) => !ok).map(({ check }) => check);
}

test('a tool without examples is told', async () => {
  expect(await failures({ examples: [] })).toEqual(['has examples that its schema admits']);
});

test('a tool whose examples all fail is told: the other checks would mean nothing', async () => {
  const found = await failures({
    run: async () => {
      throw new ToolError('not_found', 'There is no such file.');
    },
  });
  expect(found).toEqual(['comes to a result for one of its examples']);
});

test('a read-only tool that writes is told', async () => {
  const found = await failures({
    run: async ({ path }, context) => {
      const transaction = await context.workspace.writer.begin();
      await transaction.stage({ kind: 'delete', path, expected: { kind: 'any' } });
      await transaction.promoteAll();
      return { output: '' };
    },
  });
  expect(found).toContain('does what it declares and no more');
});

test('a tool that leaves its reader open is told', async () => {
  const found = await failures({
    run: async ({ path }, context) => {
      await context.workspace.files.openRead(path);
      return { output: 'ok' };
    },
  });
  expect(found).toContain('leaves nothing when it ends or is cancelled');
});

test('a tool that answers at random is told', async () => {
  let count = 0;
  const found = await failures({ run: async () => ({ output: String((count += 1)) }) });
  expect(found).toEqual(['gives equal bytes for equal state']);
});

test('a tool that breaks on odd arguments is told', async () => {
  const found = await failures({
    run: async ({ path }) => {
      if (path !== 'a.txt') throw new RangeError('odd');
      return { output: 'ok' };
    },
  });
  expect(found).toEqual(['survives hostile arguments with typed errors']);
});

test('a tool that breaks on its own examples is told', async () => {
  const found = await failures({
    run: async () => {
      throw new RangeError('defect');
    },
  });
  expect(found).toContain('does what it declares and no more');
});

test('a tool that reads what it does not declare is told', async () => {
  const found = await failures({ effects: () => [{ kind: 'read', target: 'b.txt' }] });
  expect(found).toContain('does what it declares and no more');
});

test('a tool that runs more than it declares, while running, is told', async () => {
  const found = await failures({
    run: async ({ path }, context) => {
      await context.workspace.files.openRead(`${path}.bak`).catch(() => undefined);
      await context.workspace.files.list('');
      return { output: '' };
    },
  });
  expect(found).toContain('does what it declares and no more');
});

test('a tool whose result has a part that does not fit is told', async () => {
  const check = 'keeps every part of its result within its bound';
  expect(
    await failures({ run: async () => ({ output: '', metadata: { a: 'x'.repeat(70_000) } }) }),
  ).toEqual([check]);
  const structured = Array.from({ length: 9_000 }, () => 'a row');
  expect(await failures({ run: async () => ({ output: '', structured }) })).toEqual([check]);
});

test('a tool that leaves its transaction open is told', async () => {
  const found = await failures({
    capabilities: {},
    effects: ({ path }: { readonly path: string }) => [{ kind: 'write', target: path }],
    run: async ({ path }, context) => {
      const transaction = await context.workspace.writer.begin();
      await transaction.stage({ kind: 'delete', path, expected: { kind: 'any' } });
      return { output: 'ok' };
    },
  });
  expect(found).toContain('leaves nothing when it ends or is cancelled');
});

test('a tool that does not heed its signal is told', async () => {
  const found = await failures({ timeoutMs: 30, run: () => new Promise(() => {}) });
  expect(found).toContain('ends when it is cancelled, before it begins and while it runs');
});
