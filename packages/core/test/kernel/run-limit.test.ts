import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '../../src/index.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([Number.NaN, -1])(
  'a tool whose time limit is %d has that of a tool that says nothing',
  async (timeoutMs) => {
    const tool = defineTool({
      name: 'hang',
      description: 'Never ends.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      effects: () => [],
      timeoutMs: () => timeoutMs,
      run: () => new Promise(() => {}),
    });
    const session = await createHost({
      providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [tool] })],
    }).open({ workspace: memoryWorkspace() });
    const call = session.invoke({ name: 'hang' });
    await vi.advanceTimersByTimeAsync(119_000);
    expect(session.activeTools()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await call).error).toMatchObject({ type: 'timeout', duration_ms: 120_000 });
    await session.close();
  },
);
