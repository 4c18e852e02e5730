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
import { endedProcess } from '../ended-process.ts';

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
  expect(found).toContain('gives equal bytes for equal state');
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

test('a tool whose structured content differs from call to call is told', async () => {
  let count = 0;
  const found = await failures({
    run: async () => ({ output: 'same', structured: { count: (count += 1) } }),
  });
  expect(found).toEqual(['gives equal bytes for equal state']);
});

test('a tool that keeps quiet about what it was refused is told', async () => {
  const found = await failures({
    run: async (_input, { workspace: { files } }) => {
      await files.list('').catch(() => undefined);
      return { output: 'nothing happened' };
    },
  });
  expect(found).toEqual(['does what it declares and no more']);
});

/** Writes a file anew with what `change` makes of it. */
function changing(change: (text: string) => string): Partial<Spec> {
  return {
    capabilities: { idempotent: true },
    effects: ({ path }: { readonly path: string }) => [{ kind: 'write', target: path }],
    run: async ({ path }, { workspace: { files, writer } }) => {
      const reader = await files.openRead(path);
      const text = new TextDecoder().decode(await reader.read(0, 64));
      await reader.close();
      const transaction = await writer.begin();
      try {
        const content = new TextEncoder().encode(change(text));
        await transaction.stage({ kind: 'write', path, content, expected: { kind: 'any' } });
        await transaction.promoteAll();
      } finally {
        await transaction.rollback();
      }
      return { output: 'changed' };
    },
  };
}

test('a tool whose second call changes files again, and says that it does not, is told', async () => {
  expect(await failures(changing((text) => `${text}!`))).toEqual([
    'has the effect of one call when it is made twice, where it says so',
  ]);
  expect(await failures(changing((text) => text.toUpperCase()))).toEqual([]);
  expect(await failures({ ...changing((text) => `${text}!`), capabilities: {} })).toEqual([]);
});

/** Writes two files, one after the other. */
const halves: Partial<Spec> = {
  effects: () => [{ kind: 'write', target: '**' }],
  run: async (_input, { workspace: { writer } }) => {
    for (const path of ['one.txt', 'two.txt']) {
      const transaction = await writer.begin();
      try {
        const content = new TextEncoder().encode(path);
        await transaction.stage({ kind: 'write', path, content, expected: { kind: 'any' } });
        await transaction.promoteAll();
      } finally {
        await transaction.rollback();
      }
    }
    return { output: 'both' };
  },
};

test('a tool that leaves half of its work when it is cancelled, and says that it does not, is told', async () => {
  expect(await failures({ ...halves, capabilities: { cancellationSafe: true } })).toEqual([
    'leaves nothing when it ends or is cancelled',
  ]);
  expect(await failures({ ...halves, capabilities: {} })).toEqual([]);
});

test('a tool that gives out a cursor must say that it pages, and take it', async () => {
  const check = 'goes on from the cursors that it gives out';
  const run: Spec['run'] = async () => ({
    output: 'a page',
    metadata: { page: { next_cursor: 'more' } },
  });
  expect(await failures({ run })).toEqual([check]);
  // It says so, and its schema has no cursor.
  const capabilities = { ...parallelRead(4), paginated: true };
  expect(await failures({ run, capabilities })).toEqual([check]);
});

test('a tool that cannot run beside itself, and says that it can, is told', async () => {
  let running = 0;
  const found = await failures({
    run: async () => {
      running += 1;
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
      const output = `${running} at once`;
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
      running -= 1;
      return { output };
    },
  });
  expect(found).toEqual(['may run beside itself where it says so']);
});

test('a tool whose process goes on after its call was cancelled is told', async () => {
  const handle = endedProcess();
  const start = (isTidy: boolean) =>
    defineTool({
      name: 'start',
      description: 'Starts a command.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      examples: [{}],
      requires: ['processes'],
      effects: () => [{ kind: 'exec', target: 'make' }],
      run: async (_input, { workspace: { processes }, signal }) => {
        const started = await processes.spawn({
          command: { kind: 'program', file: 'make', args: [] },
        });
        try {
          await new Promise((resolve) => {
            setTimeout(resolve, 10);
          });
          signal.throwIfAborted();
        } finally {
          if (isTidy) await started.close();
        }
        return { output: 'made' };
      },
    });
  const failing = async (isTidy: boolean) => {
    const tools = [start(isTidy)];
    const report = await runConformance(defineProvider({ name: 'x', version: '1.0.0', tools }), {
      workspace: () => ({
        ...memoryWorkspace(),
        processes: {
          shell: 'bash',
          sandbox: { available: false, description: 'none' },
          spawn: async () => handle,
        },
      }),
    });
    return report.checks.filter(({ ok }) => !ok).map(({ check }) => check);
  };
  expect(await failing(false)).toEqual([
    'ends when it is cancelled, before it begins and while it runs',
  ]);
  expect(await failing(true)).toEqual([]);
});
