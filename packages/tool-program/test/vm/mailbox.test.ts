import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createMailbox, MailboxReceiver, MailboxSender } from '../../src/vm/mailbox.mjs';
import { VmPool } from '../../src/vm/vm-pool.ts';
import { program, runScript } from './vm-harness.ts';

const pool = new VmPool();
afterAll(() => pool.close());

function createPair() {
  const mailbox = createMailbox();
  return { mailbox, sender: new MailboxSender(mailbox), receiver: new MailboxReceiver(mailbox) };
}

test('answers come out as they went in, several at once', () => {
  const { sender, receiver } = createPair();
  const answers = [
    { id: 0, json: '{"a":"é😀\\n1 2 3\\n"}', nowMs: 1_700_000_000_000.5 },
    { id: 1_000, json: '""', nowMs: 0 },
    { id: 2, json: `"${'ü'.repeat(10_000)}"`, nowMs: 5 },
  ];
  expect(sender.put(answers)).toBe(true);
  expect(receiver.wait()).toEqual(answers);
  expect(sender.put(answers.slice(1))).toBe(true);
  expect(receiver.wait()).toEqual(answers.slice(1));
});

test('what does not fit, or would overtake something, goes as a message', () => {
  const { sender, receiver } = createPair();
  const answer = (json: string) => [{ id: 0, json, nowMs: 0 }];
  expect(sender.put(answer('x'.repeat(262_145)))).toBe(false);
  expect(sender.put(answer('ü'.repeat(131_073)))).toBe(false);
  expect(sender.put(answer('"first"'))).toBe(true);
  expect(sender.put(answer('"second"'))).toBe(false);
  sender.announceMessage();
  // What lies there is older than the message.
  expect(receiver.wait()).toEqual(answer('"first"'));
  expect(receiver.wait()).toBeUndefined();
  expect(sender.put(answer('"third"'))).toBe(false);
  receiver.received();
  expect(sender.put(answer('"third"'))).toBe(true);
  sender.clear();
  expect(sender.put(answer('"fourth"'))).toBe(true);
  expect(receiver.wait()).toEqual(answer('"fourth"'));
});

test('a thread that sleeps is woken by answers and by messages, and can be ended', async () => {
  const { mailbox, sender } = createPair();
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(workerData.url).then(({ MailboxReceiver }) => {
       const receiver = new MailboxReceiver(workerData.mailbox);
       const sleep = () => {
         for (;;) {
           parentPort.postMessage('sleeps');
           const answers = receiver.wait();
           if (answers === undefined) return;
           parentPort.postMessage(answers);
         }
       };
       parentPort.on('message', (message) => {
         receiver.received();
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
  sender.put(answers);
  expect(await next()).toEqual(answers);
  expect(await next()).toBe('sleeps');
  sender.announceMessage();
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
