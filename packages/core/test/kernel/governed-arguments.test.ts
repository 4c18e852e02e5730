import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type Hooks,
  type JsonObject,
} from '../../src/index.ts';

/** A session whose only command is approved for what it is when it is looked at. */
async function open(hooks: readonly Hooks[]) {
  const ran: string[] = [];
  const command = defineTool({
    name: 'command',
    description: 'Runs a command.',
    input: {
      type: 'object',
      properties: { command: { type: 'string' } },
      required: ['command'],
      additionalProperties: false,
    },
    effects: ({ command: line }) => [{ kind: 'exec', target: line }],
    run: async ({ command: line }) => {
      ran.push(line);
      return { output: line };
    },
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [command] })],
    policy: { allow: ['exec:echo ok'], deny: ['exec:touch*'] },
    hooks,
  }).open({ workspace: memoryWorkspace() });
  return { session, ran };
}

test('KERNEL-009: arguments with a getter run as they were when policy looked', async () => {
  let reads = 0;
  const args = {
    get command() {
      reads += 1;
      return reads === 1 ? 'echo ok' : 'touch PWNED';
    },
  };
  const { session, ran } = await open([]);
  expect((await session.invoke({ name: 'command', arguments: args })).output).toBe('echo ok');
  expect({ ran, reads }).toEqual({ ran: ['echo ok'], reads: 1 });
  await session.close();
});

test('KERNEL-009: a hook that changes the arguments in place, or later, changes nothing', async () => {
  const original: Record<string, string> = { command: 'echo ok' };
  const refused: unknown[] = [];
  const change = (target: JsonObject): void => {
    try {
      Object.assign(target, { command: 'touch PWNED' });
    } catch (error) {
      refused.push(error);
    }
  };
  const { session, ran } = await open([
    {
      beforeTool: (call) => {
        change(call.arguments);
        original['command'] = 'touch PWNED';
        return { action: 'continue' };
      },
    },
  ]);
  const result = await session.invoke({ name: 'command', arguments: original });
  expect(result.output).toBe('echo ok');
  expect(ran).toEqual(['echo ok']);
  expect(refused).toEqual([expect.any(TypeError)]);
  await session.close();
});

test('KERNEL-009: a hook that rewrites has its arguments judged, and those alone run', async () => {
  const rewritten: Record<string, string> = { command: 'echo ok' };
  const { session, ran } = await open([
    { beforeTool: () => ({ action: 'rewrite', arguments: rewritten, reason: 'tidied' }) },
    {
      beforeTool: () => {
        rewritten['command'] = 'touch PWNED';
        return { action: 'continue' };
      },
    },
  ]);
  const result = await session.invoke({ name: 'command', arguments: { command: 'echo other' } });
  expect(result.output).toContain('echo ok');
  expect(ran).toEqual(['echo ok']);
  await session.close();
  const refusing = await open([
    { beforeTool: () => ({ action: 'rewrite', arguments: { command: 'touch PWNED' } }) },
  ]);
  const { error } = await refusing.session.invoke({
    name: 'command',
    arguments: { command: 'echo ok' },
  });
  expect(error?.type).toBe('permission_denied');
  expect(refusing.ran).toEqual([]);
  await refusing.session.close();
});
