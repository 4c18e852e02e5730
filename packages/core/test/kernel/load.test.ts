import { expect, test } from 'vitest';
import { createHost, defineProvider, defineTool, memoryWorkspace } from '../../src/index.ts';

const calls = process.env['TOOLWRIGHT_LONG'] === '1' ? 100_000 : 4_000;
const inFlight = 1_000;

test('many calls, a thousand in flight, leave no listener, timer or active call behind', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const echo = defineTool({
    name: 'echo',
    description: 'Answers at once.',
    input: { type: 'object', properties: {}, additionalProperties: false },
    capabilities: { readOnly: true, maxParallelism: 1_024 },
    effects: () => [{ kind: 'read', target: 'a.txt' }],
    run: async () => ({ output: 'ok' }),
  });
  const session = await createHost({
    providers: [defineProvider({ name: 'family', version: '1.0.0', tools: [echo] })],
  }).open({ workspace: memoryWorkspace() });
  const { signal } = new AbortController();
  const before = timers();
  let left = calls;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const result = await session.invoke({ name: 'echo', arguments: {} }, { signal });
      if (result.error !== null) throw new Error(result.error.message);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  expect(session.activeTools()).toEqual([]);
  expect(timers()).toBeLessThanOrEqual(before);
  await session.close();
  await new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
  process.off('warning', warn);
  expect(warnings).toEqual([]);
}, 300_000);
