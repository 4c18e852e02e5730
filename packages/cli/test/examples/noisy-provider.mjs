import { defineProvider, defineTool } from '@toolwright/core';

// A tool that prints, as tools of careless authors do.
export const noisy = defineProvider({
  name: 'noisy',
  version: '1.0.0',
  tools: [
    defineTool({
      name: 'noisy',
      description: 'Prints where it should not.',
      input: { type: 'object', properties: {}, additionalProperties: false },
      effects: () => [],
      run: async () => {
        console.log('said by console.log');
        console.info('said by console.info');
        process.stdout.write('said by stdout.write\n');
        return { output: 'quiet' };
      },
    }),
  ],
});
