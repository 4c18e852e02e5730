import { parentPort, workerData } from 'node:worker_threads';
import { GuestVm } from './guest-vm.mjs';
import { WorkerMailbox } from './mailbox.mjs';
import { ScriptRun } from './script-run.mjs';

/** @import { Engine } from './engine.ts' */
/** @import { FromWorker, ToWorker, VmEnd, VmJob, WorkerSettings } from './messages.ts' */

/** Milliseconds between two announcements of written lines. */
const logIntervalMs = 20;

const port = parentPort;
if (port === null) throw new Error('This file runs in a worker only.');
// Made by the host with exactly these settings.
const settings = /** @type {WorkerSettings} */ (workerData);
const mailbox = new WorkerMailbox(settings.mailbox);
let announcedAt = 0;

/** @param {FromWorker} message */
const post = (message) => port.postMessage(message);
/** @type {Engine | undefined} */
let engine;
/** @type {Promise<GuestVm> | undefined} */
let nextVm;
/** @type {{ vm: GuestVm, run: ScriptRun } | undefined} */
let current;
/** A step that loads something is over before the next message counts. */
let lastStep = Promise.resolve();

/** @param {() => Promise<void>} step */
function inOrder(step) {
  lastStep = lastStep.then(step);
}

port.on('message', (/** @type {ToWorker} */ message) => {
  mailbox.received();
  switch (message.type) {
    case 'engine':
      engine = message.engine;
      nextVm = createVm();
      void nextVm.then(() => post({ type: 'ready' }));
      break;
    case 'run':
      inOrder(() => begin(message.job));
      break;
    case 'answers':
      inOrder(() => proceed((run) => run.answer(message.answers)));
      break;
    case 'stop':
      inOrder(() => proceed(async () => ({ type: 'stopped' })));
  }
});

function createVm() {
  if (engine === undefined) throw new Error('The engine comes before everything else.');
  return GuestVm.create(settings, engine, announceLines);
}

/** @param {VmJob} job */
async function begin(job) {
  const vm = await (nextVm ?? createVm());
  current = { vm, run: new ScriptRun(vm, job, tellCalls) };
  await proceed((run) => run.begin());
}

/** @param {(run: ScriptRun) => Promise<VmEnd | undefined>} step */
async function proceed(step) {
  if (current === undefined) return;
  const { vm, run } = current;
  let end = await step(run);
  while (end === undefined) {
    const answers = mailbox.wait();
    if (answers === undefined) return;
    end = await run.answer(answers);
  }
  current = undefined;
  const retire = run.isPoisoned || vm.memoryBytes > settings.retireBytes || end.type === 'fault';
  post({
    type: 'end',
    end,
    droppedLines: vm.droppedLines,
    refusedCalls: vm.refusedCalls,
    retire,
  });
  if (retire) return;
  if (!vm.reset()) {
    vm.dispose();
    nextVm = createVm();
  }
}

/** @param {string} calls */
function tellCalls(calls) {
  const put = mailbox.putCalls(calls);
  if (put === 'untold') post(null);
  if (put === 'message') post({ type: 'calls', calls });
}

function announceLines() {
  const now = performance.now();
  if (now - announcedAt < logIntervalMs) return;
  announcedAt = now;
  post({ type: 'logged' });
}
