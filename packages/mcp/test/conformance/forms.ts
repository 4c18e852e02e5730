import type { ElicitRequestFormParams, InputRequest } from '@modelcontextprotocol/server';

type Properties = ElicitRequestFormParams['requestedSchema']['properties'];

/** A form whose fields all have to be filled in. */
export function form(message: string, properties: Properties): InputRequest {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
    },
  };
}

export const nameForm = form('What is your name?', { name: { type: 'string' } });

/** A default for every primitive type (SEP-1034). */
export const defaultsForm = form('Please check these values', {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});

const titled = (first: string) => [
  { const: 'value1', title: first },
  { const: 'value2', title: 'Second' },
  { const: 'value3', title: 'Third' },
];

/** The five kinds of choice (SEP-1330). */
export const enumsForm = form('Please choose', {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled('First Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: {
    type: 'array',
    items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  },
  titledMulti: { type: 'array', items: { anyOf: titled('First Choice') } },
});
