import type { ElicitResult } from '@modelcontextprotocol/client';
import {
  createValidator,
  fromForeignSchema,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Validator,
} from '@toolwright/core';
import type { ActiveCall } from './call-tool.ts';
import { toPlainText } from './plain-text.ts';

/** Fields of one form that a person is asked for. */
const MAX_FIELDS = 16;
/** Answers to one field that cannot be taken before the form is given up. */
const MAX_TRIES = 3;

type Content = NonNullable<ElicitResult['content']>;

/**
 * Puts a server's question before the person at the session, through the call that the server has in hand: a form as
 * one question a field, a URL in full, to be opened by the person alone. Without such a call, or without a person, it is
 * declined. The server's words are told as the server's.
 */
export async function elicit(
  server: string,
  params: unknown,
  active: ReadonlySet<ActiveCall>,
): Promise<ElicitResult> {
  const call = [...active].at(-1);
  if (call === undefined || !isJsonObject(params as JsonValue)) return { action: 'decline' };
  // A person who is asked without end, while the clock of the call stands, would have no way out.
  if (!call.mayAsk()) return { action: 'decline' };
  // Checked by the SDK, and a JSON object as was just seen.
  const request = params as JsonObject;
  const resume = [...active].map((each) => each.pause());
  try {
    await call.context.admit({ kind: 'ask', target: `mcp:${server}` });
    return request['mode'] === 'url'
      ? await askUrl(server, request, call)
      : await askForm(server, request, call);
  } catch {
    return { action: 'cancel' };
  } finally {
    for (const each of resume) each();
  }
}

async function askUrl(
  server: string,
  request: JsonObject,
  { context }: ActiveCall,
): Promise<ElicitResult> {
  const { url } = request;
  if (typeof url !== 'string' || !URL.canParse(url)) return { action: 'decline' };
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return { action: 'decline' };
  const answer = await context.ask({
    question: `${heading(server, request)}\nIt wants you to open this address yourself (host ${parsed.host}):\n${parsed.href}`,
    options: ['done', 'decline'],
    allowFreeText: false,
  });
  if (!answer.answered) return { action: 'decline' };
  return { action: answer.answer === 'done' ? 'accept' : 'decline' };
}

async function askForm(
  server: string,
  request: JsonObject,
  call: ActiveCall,
): Promise<ElicitResult> {
  const schema = isJsonObject(request['requestedSchema']) ? request['requestedSchema'] : {};
  const fields = Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {});
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  if (fields.length > MAX_FIELDS) return { action: 'decline' };
  const intro = heading(server, request);
  if (fields.length === 0) {
    const answer = await call.context.ask({
      question: intro,
      options: ['accept', 'decline'],
      allowFreeText: false,
    });
    if (!answer.answered || answer.answer !== 'accept') return { action: 'decline' };
    return { action: 'accept', content: {} };
  }
  const content: Content = {};
  for (const [name, field] of fields) {
    const value = await askField(call, {
      intro,
      name,
      field: isJsonObject(field) ? field : {},
      required: required.includes(name),
    });
    if (value === 'declined') return { action: 'decline' };
    if (value !== undefined) content[name] = value.value;
  }
  return { action: 'accept', content };
}

interface Field {
  readonly intro: string;
  readonly name: string;
  readonly field: JsonObject;
  readonly required: boolean;
}

async function askField(
  { context }: ActiveCall,
  asked: Field,
): Promise<{ readonly value: Content[string] } | 'declined' | undefined> {
  const { field, name, intro, required } = asked;
  const title = typeof field['title'] === 'string' ? field['title'] : name;
  const description = typeof field['description'] === 'string' ? `: ${field['description']}` : '';
  const fallback = field['default'];
  const options = optionsOf(field);
  const check = checkerOf(field);
  let problem = '';
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await context.ask({
      question: `${intro}\n${toPlainText(title + description, 500)}${required ? '' : ' (may be left empty)'}${
        fallback === undefined ? '' : ` [${JSON.stringify(fallback)}]`
      }${problem}`,
      ...(options === undefined
        ? { allowFreeText: true }
        : { options: options.map(({ label }) => label), allowFreeText: false }),
    });
    if (!answer.answered) return 'declined';
    if (answer.answer === '') {
      if (fallback !== undefined) return { value: fallback as Content[string] };
      if (!required) return undefined;
    }
    const read = checked(readAnswer(answer.answer, field, options), check);
    if (read.ok) return { value: read.value };
    problem = `\nThat cannot be taken: ${read.problem}.`;
  }
  return 'declined';
}

/** The rest of what a field's schema asks for; nothing where it cannot be used. */
function checkerOf(field: JsonObject): Validator | undefined {
  const schema = fromForeignSchema({ type: 'object', properties: { answer: field } }, 'output');
  return schema.usable ? createValidator(schema.schema) : undefined;
}

function checked(read: AnswerReading, check: Validator | undefined): AnswerReading {
  if (!read.ok || check === undefined) return read;
  // What was read is a text, a number, a boolean or a list of texts.
  const found = check.check({ answer: read.value as JsonValue });
  return found.valid ? read : { ok: false, problem: found.message.replace(/^\/answer: /, '') };
}

interface Option {
  readonly label: string;
  readonly value: string | boolean;
}

function optionsOf(field: JsonObject): readonly Option[] | undefined {
  if (field['type'] === 'boolean') {
    return [
      { label: 'yes', value: true },
      { label: 'no', value: false },
    ];
  }
  const list = field['oneOf'] ?? field['anyOf'];
  if (Array.isArray(list)) {
    const options = list
      .filter(isJsonObject)
      .flatMap(({ const: value, title }) =>
        typeof value === 'string'
          ? [{ value, label: typeof title === 'string' ? title : value }]
          : [],
      );
    return options.length === 0 ? undefined : options;
  }
  const values = field['enum'];
  if (!Array.isArray(values)) return undefined;
  const titles = Array.isArray(field['enumNames']) ? field['enumNames'] : [];
  return values.flatMap((value, index) => {
    const title = titles[index];
    return typeof value === 'string'
      ? [{ value, label: typeof title === 'string' ? title : value }]
      : [];
  });
}

type AnswerReading =
  | { readonly ok: true; readonly value: Content[string] }
  | { readonly ok: false; readonly problem: string };

function readAnswer(
  answer: string,
  field: JsonObject,
  options: readonly Option[] | undefined,
): AnswerReading {
  if (options !== undefined) {
    const found = options.find(({ label, value }) => label === answer || String(value) === answer);
    if (found !== undefined) return { ok: true, value: found.value };
    return { ok: false, problem: `it is none of ${options.map(({ label }) => label).join(', ')}` };
  }
  if (field['type'] === 'number' || field['type'] === 'integer') return readNumber(answer, field);
  if (field['type'] === 'array') return readMany(answer, field);
  const { minLength, maxLength } = field;
  const length = Array.from(answer).length;
  if (typeof minLength === 'number' && length < minLength) {
    return { ok: false, problem: `it needs ${minLength} characters` };
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    return { ok: false, problem: `it may have ${maxLength} characters` };
  }
  return { ok: true, value: answer };
}

function readNumber(answer: string, field: JsonObject): AnswerReading {
  const value = Number(answer.trim() === '' ? Number.NaN : answer);
  const { minimum, maximum } = field;
  if (!Number.isFinite(value)) return { ok: false, problem: 'it is no number' };
  if (field['type'] === 'integer' && !Number.isInteger(value)) {
    return { ok: false, problem: 'it is no whole number' };
  }
  if (typeof minimum === 'number' && value < minimum) {
    return { ok: false, problem: `it is below ${minimum}` };
  }
  if (typeof maximum === 'number' && value > maximum) {
    return { ok: false, problem: `it is above ${maximum}` };
  }
  return { ok: true, value };
}

/** Several of a list, written with commas between them. */
function readMany(answer: string, field: JsonObject): AnswerReading {
  const items = isJsonObject(field['items']) ? field['items'] : {};
  const options = optionsOf(items);
  const values: string[] = [];
  for (const part of answer.split(',').map((text) => text.trim())) {
    if (part === '') continue;
    const read = readAnswer(part, { type: 'string' }, options);
    if (!read.ok) return read;
    values.push(String(read.value));
  }
  return { ok: true, value: values };
}

function heading(server: string, { message }: JsonObject): string {
  const said = typeof message === 'string' ? toPlainText(message, 2_000) : '';
  return `The MCP server ${server} asks${said === '' ? '' : `: ${said}`}`;
}
