import { createHash } from 'node:crypto';
import { ours } from '../harness/packages.mjs';

export const work =
  'a call that returns 100 MiB of bytes, with no secrets registered: projection and evidence';

export const comparisons = [
  {
    row: 'K3',
    bar: 1.5,
    target: 1.3,
    anchor: 'SHA-256 of the bytes by node:crypto',
    ours: 'the whole call by `session.tool`',
  },
];

const size = 100 * 1024 * 1024;

export async function measure(bench) {
  const bytes = lines();
  const { createHost, defineProvider, defineTool, memoryWorkspace } = await ours('core');
  const dump = defineTool({
    name: 'dump',
    description: 'Returns a lot.',
    input: { type: 'object', additionalProperties: false, properties: {} },
    capabilities: { readOnly: true },
    effects: () => [],
    run: async () => ({ output: bytes }),
  });
  const provider = defineProvider({ name: 'bench', version: '1.0.0', tools: [dump] });
  const session = await createHost({ providers: [provider] }).open({
    workspace: memoryWorkspace({}),
  });
  await bench.compare('K3', {
    anchor: () => createHash('sha256').update(bytes).digest('hex'),
    ours: () => session.tool('dump', {}),
    check: (digest, { error, metadata }) => {
      if (error !== null) throw new Error(error.message);
      if (!metadata.a3s_tool_result_evidence.content_digest.includes(digest)) {
        throw new Error('the evidence does not carry the digest of the original');
      }
    },
    rounds: 9,
  });
  await session.close();
}

/** Lines of 79 characters that differ, so that none is folded away. */
function lines() {
  const bytes = Buffer.alloc(size, '.');
  for (let at = 0, line = 0; at + 80 <= size; at += 80, line += 1) {
    bytes.write(`${line}`, at, 'latin1');
    bytes[at + 79] = 10;
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, size);
}
