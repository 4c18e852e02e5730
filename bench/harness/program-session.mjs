import { ours } from './packages.mjs';

/** The body of a script in both forms: `run` takes it as it is, a program of ours as the entry of a module. */
export const asProgram = (body) =>
  `export default async function run(ctx) {\nconst echo = ctx.tools.echo;\n${body}\n}`;

/** A session with programs and one tool, `echo`, whose every call goes through the whole kernel. */
export async function openProgramSession(options = {}) {
  const { createHost, defineProvider, defineTool, memoryWorkspace } = await ours('core');
  const { program } = await ours('tool-program');
  const echo = defineTool({
    name: 'echo',
    description: 'Answers with the text that it is given.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: { text: { type: 'string' } },
    },
    capabilities: { readOnly: true, idempotent: true, cancellationSafe: true, maxParallelism: 64 },
    effects: () => [],
    run: async ({ text }) => ({ output: text }),
  });
  const scripts = program(options);
  const host = createHost({
    providers: [scripts, defineProvider({ name: 'bench', version: '1.0.0', tools: [echo] })],
    trustedOrchestrators: [scripts],
  });
  return host.open({ workspace: memoryWorkspace() });
}
