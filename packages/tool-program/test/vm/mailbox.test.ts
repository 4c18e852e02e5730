import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { createMailbox, HostMailbox, WorkerMailbox } from '../../src/vm/mailbox.mjs';
import type { VmAnswer } from '../../src/vm/messages.ts';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { program, runScript } from './vm-harness.ts';

const pool = new VmPool();
afterAll(() => pool.close());

function createPair({
  look = () => false,
  isPatient = false,
}: { look?: () => boolean; isPatient?: boolean } = {}) {
  const mailbox = createMailbox();
  const host = new HostMailbox(mailbox, { look, isPatient });
  const worker = new WorkerMailbox(mailbox, { isPatient });
  return { mailbox, host, worker, wait: () => worker.wait({ soon: true }) };
}

const noJob = (answers: readonly VmAnswer[]) => ({ job: undefined, answers });

test('answers come out as they went in, several at once', () => {
  const { host, wait } = createPair();
  const answers = [
    { id: 0, json: '{"a":"é😀\\n1 2 3\\n"}', nowMs: 1_700_000_000_000.5 },
    { id: 1_000, json: '""', nowMs: 0 },
    { id: 2, json: `"${'ü'.repeat(10_000)}"`, nowMs: 5 },
  ];
  expect(host.putAnswers(answers)).toBe(true);
  expect(wait()).toEqual(noJob(answers));
  // What a worker that is busy has not taken yet waits with the rest.
  expect(host.putAnswers(answers.slice(1))).toBe(true);
  expect(host.putAnswers(answers)).toBe(true);
  expect(wait()).toEqual(noJob([...answers.slice(1), ...answers]));
});

test('a script comes without the answers that an earlier one did not wait for', () => {
  const { host, wait } = createPair();
  const answers = [{ id: 7, json: '{"a":1}', nowMs: 1 }];
  expect(host.putJob('{"source":"1 2 3\\n","é":"😀"}')).toBe(true);
  expect(wait()).toEqual({ job: '{"source":"1 2 3\\n","é":"😀"}', answers: [] });
  expect(host.putAnswers(answers)).toBe(true);
  expect(host.putJob('{}')).toBe(true);
  expect(wait()).toEqual({ job: '{}', answers: [] });
});

test('what does not fit, or would overtake something, goes as a message', () => {
  const { host, worker, wait } = createPair();
  const answer = (json: string) => [{ id: 0, json, nowMs: 0 }];
  expect(host.putAnswers(answer('x'.repeat(262_145)))).toBe(false);
  expect(host.putAnswers(answer('ü'.repeat(131_073)))).toBe(false);
  expect(host.putJob('x'.repeat(262_145))).toBe(false);
  expect(host.putAnswers(answer('"first"'))).toBe(true);
  expect(host.putAnswers(answer('x'.repeat(262_125)))).toBe(false);
  host.announceMessage();
  // What lies there is older than the message.
  expect(wait()).toEqual(noJob(answer('"first"')));
  expect(wait()).toBeUndefined();
  expect(host.putAnswers(answer('"second"'))).toBe(false);
  worker.received();
  expect(host.putAnswers(answer('"third"'))).toBe(true);
  expect(wait()).toEqual(noJob(answer('"third"')));
});

test('what the worker tells comes out in its order, and nothing overtakes a message', () => {
  const { host, worker } = createPair();
  expect(host.takeTold()).toEqual([]);
  expect(worker.tell('[1]')).toBe(true);
  expect(worker.tell('["ü"]')).toBe(true);
  expect(host.takeTold()).toEqual(['[1]', '["ü"]']);
  expect(worker.tell('x'.repeat(262_145))).toBe(false);
  expect(worker.tell('[2]')).toBe(false);
  host.messageReceived();
  expect(worker.tell('[3]')).toBe(false);
  host.messageReceived();
  host.messageReceived();
  expect(worker.tell('[4]')).toBe(true);
  worker.announceMessage();
  expect(worker.tell('[5]')).toBe(false);
  expect(host.takeTold()).toEqual(['[4]']);
  host.clear();
  expect(host.takeTold()).toEqual([]);
});

test.each([false, true])(
  'the host hears what is told, at once or later, until it expects no more (patient: %s)',
  async (isPatient) => {
    const heard: string[] = [];
    const { host, worker } = createPair({
      look: () => {
        heard.push(...host.takeTold());
        return !heard.includes('end');
      },
      isPatient,
    });
    const untilHeard = (line: string) =>
      vi.waitFor(() => expect(heard).toContain(line), { interval: 1, timeout: 10_000 });
    host.putJob('{}');
    worker.tell('at once');
    await untilHeard('at once');
    // Nothing was left for the worker since: the host sleeps.
    await new Promise((resolve) => setTimeout(resolve, 5));
    worker.tell('later');
    await untilHeard('later');
    host.putAnswers([{ id: 0, json: '""', nowMs: 0 }]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    worker.tell('in vain first');
    await untilHeard('in vain first');
    worker.tell('end');
    await untilHeard('end');
    await new Promise((resolve) => setTimeout(resolve, 5));
    worker.tell('too late');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(heard).not.toContain('too late');
    host.putJob('{}');
    await untilHeard('too late');
    host.close();
  },
);

test('a thread that sleeps is woken by answers and by messages, and can be ended', async () => {
  const { mailbox, host } = createPair();
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(workerData.url).then(({ WorkerMailbox }) => {
       const mailbox = new WorkerMailbox(workerData.mailbox, { isPatient: true });
       const sleep = () => {
         for (;;) {
           parentPort.postMessage('sleeps');
           const mail = mailbox.wait({ soon: false });
           if (mail === undefined) return;
           parentPort.postMessage(mail);
         }
       };
       parentPort.on('message', (message) => {
         mailbox.received();
         parentPort.postMessage(message);
         sleep();
       });
       sleep();
     });`,
    {
      eval: true,
      workerData: { mailbox, url: new URL('../../src/vm/mailbox.mjs', import.meta.url).href },
    },
  );
  onTestFinished(async () => void (await worker.terminate()));
  const next = async (): Promise<unknown> => (await once(worker, 'message'))[0];
  expect(await next()).toBe('sleeps');
  const answers = [{ id: 3, json: '"x"', nowMs: 9 }];
  // Woken for nothing, it goes on waiting.
  host.announceJob();
  host.putAnswers(answers);
  expect(await next()).toEqual(noJob(answers));
  expect(await next()).toBe('sleeps');
  host.announceMessage();
  worker.postMessage('a message', []);
  expect(await next()).toBe('a message');
  expect(await next()).toBe('sleeps');
  expect(await worker.terminate()).toBe(1);
});

test('answers of every size, in every order, find their calls', async () => {
  const sizes = [1, 300_000, 10, 90_000, 262_144, 0, 200_000, 100_000, 262_100, 5];
  const body = `
    const all = await Promise.all(inputs.sizes.map((size, i) => ctx.tools.echo({ size, i })));
    const more = [];
    for (const size of inputs.sizes) more.push(await ctx.tools.echo({ size, i: more.length }));
    return [...all, ...more].map(({ i, text }) => [i, text.length]);`;
  const report = await runScript(pool, program(body), {
    inputs: { sizes },
    answer: async (_name, args) => {
      const { size, i } = args as { size: number; i: number };
      // Later ones first.
      for (let turn = 0; turn < 20 - i; turn += 1) await Promise.resolve();
      return { i, text: 'x'.repeat(size) };
    },
  });
  const expected = sizes.map((size, i) => [i, size]);
  expect(report.value).toEqual([...expected, ...expected]);
});

test('answers that a stopped script did not take are not the next one’s', async () => {
  const stop = new AbortController();
  const stopped = runScript(pool, program('await ctx.tools.echo({}); for (;;) {}'), {
    signal: stop.signal,
    answer: async () => {
      setTimeout(() => stop.abort(), 20);
      return { text: 'old' };
    },
  });
  expect((await stopped).end.type).toBe('stopped');
  const next = await runScript(pool, program('return (await ctx.tools.echo({})).text'), {
    answer: () => ({ text: 'new' }),
  });
  expect(next.value).toBe('new');
});
