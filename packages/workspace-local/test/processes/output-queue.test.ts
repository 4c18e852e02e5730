import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { OutputQueue } from '../../src/processes/output-queue.ts';
import {
  readableSource,
  type OutputListener,
  type OutputSource,
} from '../../src/processes/output-source.ts';

/** A source that gives what it is told to, and says whether it was asked for more. */
function handSource() {
  let listener: OutputListener | undefined;
  const calls: string[] = [];
  const source: OutputSource = {
    open: (given) => {
      listener = given;
    },
    resume: () => void calls.push('resume'),
    destroy: () => {
      calls.push('destroy');
      listener?.closed();
    },
  };
  return {
    source,
    calls,
    give: (text: string) => listener?.piece(Buffer.from(text)),
    close: () => listener?.closed(),
  };
}

it('gives both streams in order of arrival, and asks each for more when its piece was used', async () => {
  const [out, err] = [handSource(), handSource()];
  const queue = new OutputQueue(out.source, err.source);
  const output = queue[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await output.next();
    return done === true ? null : [value.stream, Buffer.from(value.bytes).toString()];
  };
  err.give('e1');
  out.give('o1');
  expect(await next()).toEqual(['stderr', 'e1']);
  expect(err.calls).toEqual([]);
  expect(await next()).toEqual(['stdout', 'o1']);
  expect([err.calls, out.calls]).toEqual([['resume'], []]);
  const waiting = next();
  out.give('o2');
  expect(await waiting).toEqual(['stdout', 'o2']);
  out.close();
  err.give('e2');
  err.close();
  expect(await next()).toEqual(['stderr', 'e2']);
  expect(await next()).toBeNull();
  await queue.ended;
});

it('ends when it is closed, after what had arrived', async () => {
  const [out, err] = [handSource(), handSource()];
  const queue = new OutputQueue(out.source, err.source);
  out.give('last');
  queue.close();
  await queue.ended;
  const texts: string[] = [];
  for await (const { bytes } of queue) texts.push(Buffer.from(bytes).toString());
  expect(texts).toEqual(['last']);
  expect(err.calls).toEqual(['destroy']);
});

it('takes streams of Node one piece at a time', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const queue = new OutputQueue(readableSource(stdout), readableSource(stderr));
  stdout.write('a');
  stderr.destroy(new Error('gone'));
  const output = queue[Symbol.asyncIterator]();
  expect((await output.next()).value?.bytes.toString()).toBe('a');
  stdout.write('b');
  expect(stdout.isPaused()).toBe(true);
  expect((await output.next()).value?.bytes.toString()).toBe('b');
  stdout.end();
  expect(await output.next()).toMatchObject({ done: true });
});
