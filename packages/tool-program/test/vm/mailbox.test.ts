import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createMailbox, HostMailbox, WorkerMailbox } from '../../src/vm/mailbox.mjs';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { program, runScript } from './vm-harness.ts';

const pool = new VmPool();
afterAll(() => pool.close());

function createPair() {
  const mailbox = createMailbox();
  return { mailbox, host: new HostMailbox(mailbox), worker: new WorkerMailbox(mailbox) };
}

test('answers come out as they went in, several at once', () => {
  const { host, worker } = createPair();
  const answers = [
    { id: 0, json: '{"a":"é😀\\n1 2 3\\n"}', nowMs: 1_700_000_000_000.5 },
    { id: 1_000, json: '""', nowMs: 0 },
    { id: 2, json: `"${'ü'.repeat(10_000)}"`, nowMs: 5 },
  ];
  expect(host.putAnswers(answers)).toBe(true);
  expect(worker.wait()).toEqual(answers);
  // What a worker that is busy has not taken yet waits with the rest.
  expect(host.putAnswers(answers.slice(1))).toBe(true);
  expect(host.putAnswers(answers)).toBe(true);
  expect(worker.wait()).toEqual([...answers.slice(1), ...answers]);
});

test('what does not fit, or would overtake something, goes as a message', () => {
  const { host, worker } = createPair();
  const answer = (json: string) => [{ id: 0, json, nowMs: 0 }];
  expect(host.putAnswers(answer('x'.repeat(262_145)))).toBe(false);
  expect(host.putAnswers(answer('ü'.repeat(131_073)))).toBe(false);
  expect(host.putAnswers(answer('"first"'))).toBe(true);
  expect(host.putAnswers(answer('x'.repeat(262_125)))).toBe(false);
  host.announceMessage();
  // What lies there is older than the message.
  expect(worker.wait()).toEqual(answer('"first"'));
  expect(worker.wait()).toBeUndefined();
  expect(host.putAnswers(answer('"second"'))).toBe(false);
  worker.received();
  expect(host.putAnswers(answer('"third"'))).toBe(true);
  host.clear();
  expect(host.putAnswers(answer('"fourth"'))).toBe(true);
  expect(worker.wait()).toEqual(answer('"fourth"'));
});

test('calls come out as they went in; the host is told of them once until it looks', () => {
  const { host, worker } = createPair();
  expect(host.takeCalls()).toEqual([]);
  expect(worker.putCalls('[1]')).toBe('untold');
  expect(worker.putCalls('["ü"]')).toBe('told');
  expect(host.takeCalls()).toEqual(['[1]', '["ü"]']);
  expect(worker.putCalls('[]')).toBe('untold');
  expect(host.takeCalls()).toEqual(['[]']);
  expect(worker.putCalls('x'.repeat(262_145))).toBe('message');
  // Nothing overtakes it.
  expect(worker.putCalls('[2]')).toBe('message');
  host.callsReceived();
  expect(worker.putCalls('[3]')).toBe('message');
  host.callsReceived();
  host.callsReceived();
  expect(worker.putCalls('[4]')).toBe('untold');
});

test('a thread that sleeps is woken by answers and by messages, and can be ended', async () => {
  const { mailbox, host } = createPair();
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(workerData.url).then(({ WorkerMailbox }) => {
       const mailbox = new WorkerMailbox(workerData.mailbox);
       const sleep = () => {
         for (;;) {
           parentPort.postMessage('sleeps');
           const answers = mailbox.wait();
           if (answers === undefined) return;
           parentPort.postMessage(answers);
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
  host.putAnswers(answers);
  expect(await next()).toEqual(answers);
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
