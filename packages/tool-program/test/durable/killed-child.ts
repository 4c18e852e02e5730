import { countingProgram, openCountingSession } from './counting-session.ts';

// A process that is killed in the middle of a durable program: root, tool, step and phase are its arguments.
const [, , root = '', tool = '', step = '', phase = ''] = process.argv;
const session = await openCountingSession(root, {
  tool,
  step: Number(step),
  phase: phase === 'before' ? 'before' : 'after',
});
await session.program(countingProgram);
process.exitCode = 3;
await session.close();
