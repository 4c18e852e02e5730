import { ours } from '../harness/packages.mjs';

export const work = 'validation of a schema with eight properties, and registering 10,000 tools';

export const comparisons = [
  {
    row: 'K2.step',
    bar: 2,
    target: 1.3,
    anchor: '`JSON.parse` and a function compiled by ajv',
    ours: "the validation step, from a model's JSON text to private, frozen arguments",
    unit: 'µs',
  },
  {
    row: 'K2.first',
    bar: 0.15,
    target: 0.1,
    anchor: '`compile` of ajv and its first call',
    ours: 'the first call of an unseen schema',
    unit: 'µs',
  },
  {
    row: 'K2.register',
    bar: 10,
    target: 5,
    anchor: '`JSON.parse` of their definitions',
    ours: 'define 10,000 tools and open a session with them',
  },
];

const calls = 20_000;
const unseen = 40;
const tools = 10_000;
const rounds = 9;
const good = {
  pattern: 'useState',
  path: 'src',
  glob: ['**/*.ts', '**/*.tsx'],
  mode: 'content',
  ignore_case: false,
  context: 3,
  limit: 100,
  range: { start: 1, end: 20 },
};
const text = JSON.stringify(good);

export async function measure(bench) {
  await step(bench);
  await first(bench);
  await register(bench);
}

async function step(bench) {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { createValidator } = await ours('core');
  const compiled = new Ajv2020({ strict: false }).compile(schema());
  const validator = createValidator(schema());
  await validator.compile();
  await bench.compare('K2.step', {
    anchor: () => {
      let value;
      for (let done = 0; done < calls; done += 1) {
        value = JSON.parse(text);
        if (!compiled(value)) throw new Error('ajv refuses the arguments');
      }
      return value;
    },
    ours: () => {
      let result;
      for (let done = 0; done < calls; done += 1) {
        result = validator.validate(JSON.parse(text));
        if (!result.valid) throw new Error(result.message);
      }
      return result.value;
    },
    check: same,
    rounds,
    warmup: 3,
    calls,
  });
}

async function first(bench) {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { createValidator } = await ours('core');
  const ajv = new Ajv2020({ strict: false });
  let next = 0;
  const fresh = () => Array.from({ length: unseen }, () => schema((next += 1)));
  await bench.compare('K2.first', {
    anchor: () => fresh().map((one) => ajv.compile(one)(good)),
    ours: () => fresh().map((one) => createValidator(one).validate(good).valid),
    check: same,
    rounds,
    warmup: 2,
    calls: unseen,
  });
}

async function register(bench) {
  const { createHost, defineProvider, defineTool, memoryWorkspace } = await ours('core');
  const json = JSON.stringify(
    Array.from({ length: tools }, (_, number) => ({
      name: `tool_${number}`,
      description: `Does thing number ${number} in a service, and says what came of it.`,
      input: schema(number),
    })),
  );
  const run = async () => ({ output: '' });
  await bench.compare('K2.register', {
    anchor: () => JSON.parse(json),
    ours: async () => {
      const definitions = JSON.parse(json);
      const started = performance.now();
      const provider = defineProvider({
        name: 'bench',
        version: '1.0.0',
        tools: definitions.map((definition) => defineTool({ ...definition, run })),
      });
      const session = await createHost({ providers: [provider] }).open({
        workspace: memoryWorkspace({}),
      });
      const ms = performance.now() - started;
      const { length } = session.toolNames();
      await session.close();
      return { ms, length };
    },
    check: (parsed, { length }) => same(parsed.length, length),
    rounds: 7,
  });
}

function same(expected, found) {
  if (JSON.stringify(expected) !== JSON.stringify(found)) throw new Error('the results differ');
}

/** A new schema object each time; with a number, also one of a text that was never seen. */
function schema(number) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['pattern'],
    properties: {
      pattern: { type: 'string', minLength: 1, maxLength: 1000 },
      path: { type: 'string' },
      glob: { type: 'array', items: { type: 'string' }, maxItems: 20 },
      mode: { enum: ['content', 'files', 'count'] },
      ignore_case: { type: 'boolean' },
      context: { type: 'integer', minimum: 0, maximum: 20 },
      limit: { type: 'integer', minimum: 1, maximum: 10_000 },
      range: {
        type: 'object',
        additionalProperties: false,
        properties: { start: { type: 'integer' }, end: { type: 'integer' } },
        required: ['start'],
      },
      ...(number === undefined ? {} : { [`extra_${number}`]: { type: 'string' } }),
    },
  };
}
