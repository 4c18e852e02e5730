import { parentPort, workerData } from 'node:worker_threads';
import { GuestVm } from './guest-vm.mjs';
import { WorkerMailbox } from './mailbox.mjs';
import { ScriptRun } from './script-run.mjs';

/** @import { Engine } from './engine.ts' */
/** @import { FromWorker, ToWorker, VmAnswer, VmEnd, VmEnded, VmJob, WorkerSettings } from './messages.ts' */

/** Milliseconds between two announcements of written lines. */
const logIntervalMs = 20;
/** UTF-16 units of a result that are made text once more, instead of being copied. */
const maxMailedUnits = 65_536;

const port = parentPort;
if (port === null) throw new Error('This file runs in a worker only.');
// Made by the host with exactly these settings.
const settings = /** @type {WorkerSettings} */ (workerData);
const mailbox = new WorkerMailbox(settings.mailbox, settings);
let announcedAt = 0;

/** @param {FromWorker} message */
const post = (message) => port.postMessage(message);
/** @type {Engine | undefined} */
let engine;
/** @type {Promise<GuestVm> | undefined} */
let nextVm;
/** @type {{ vm: GuestVm, run: ScriptRun } | undefined} */
let current;
/** Steps come one after the other, also where one has to load something. */
let lastStep = Promise.resolve();

/** @param {() => Promise<void>} step */
function inOrder(step) {
  lastStep = lastStep.then(step).then(serve);
}

port.on('message', (/** @type {ToWorker} */ message) => {
  mailbox.received();
  switch (message.type) {
    case 'engine':
      engine = message.engine;
      inOrder(async () => {
        nextVm = createVm();
        await nextVm;
        post({ type: 'ready' });
      });
      break;
    case 'run':
      inOrder(() => begin(message.job));
      break;
    case 'answers':
      inOrder(() => answer(message.answers));
      break;
    case 'stop':
      inOrder(() => proceed(async () => ({ type: 'stopped' })));
  }
});

/** Does what lies in the mailbox and waits for more, until a message comes instead. */
async function serve() {
  for (;;) {
    const mail = mailbox.wait({ soon: current !== undefined });
    if (mail === undefined) return;
    if (mail.job === undefined) await answer(mail.answers);
    // Written by the host.
    else await begin(/** @type {VmJob} */ (JSON.parse(mail.job)));
  }
}

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

/** @param {readonly VmAnswer[]} answers */
function answer(answers) {
  return proceed((run) => run.answer(answers));
}

/** @param {(run: ScriptRun) => Promise<VmEnd | undefined>} step */
async function proceed(step) {
  if (current === undefined) return;
  const { vm, run } = current;
  const end = await step(run);
  if (end === undefined) return;
  current = undefined;
  const retire = run.isPoisoned || vm.memoryBytes > settings.retireBytes || end.type === 'fault';
  tellEnd({
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
    // Making one goes through the event loop, which stands still while the worker waits.
    await nextVm;
  }
}

/** @param {string} calls */
function tellCalls(calls) {
  if (!mailbox.tell(calls)) post({ type: 'calls', calls });
}

/** @param {VmEnded} ended */
function tellEnd(ended) {
  const isLarge = ended.end.type === 'success' && ended.end.json.length > maxMailedUnits;
  if (isLarge) mailbox.announceMessage();
  if (isLarge || !mailbox.tell(JSON.stringify(ended))) post(ended);
}

function announceLines() {
  const now = performance.now();
  if (now - announcedAt < logIntervalMs) return;
  announcedAt = now;
  mailbox.wakeHost();
}
