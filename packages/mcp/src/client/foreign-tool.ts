import {
  canonicalJson,
  cautiousCapabilities,
  createValidator,
  fromForeignSchema,
  isJsonObject,
  sha256Hex,
  type Effect,
  type JsonObject,
  type JsonSchema,
  type KernelContext,
  type Tool,
  type ToolCapabilities,
  type ToolOutput,
  type Validator,
} from '@toolwright/core';
import { toExportName } from './export-name.ts';
import type { ListedTool } from './list-tools.ts';
import { toPlainText } from './plain-text.ts';
import { readParamHeaders, type ParamHeader, type ParamHeaderReading } from './param-headers.ts';
import type { ServerSettings } from './server-config.ts';

/** Characters of a description that a model is shown. */
const MAX_DESCRIPTION_CHARS = 2_048;
/** Calls that one server is given at once. */
const MAX_PARALLELISM = 64;

/** A server's tool as a session offers it, with what calls of it need. */
export interface ForeignTool {
  readonly tool: Tool;
  /** The server's own name. */
  readonly original: string;
  /** SHA-256 over everything by which a person or a model knows the tool. */
  readonly pin: string;
  /** What `pin` is over, for telling what has changed. */
  readonly definition: JsonObject;
  readonly outputValidator: Validator | undefined;
  /** Whether the server says that a call may be made twice. */
  readonly repeatable: boolean;
  readonly paramHeaders: readonly ParamHeader[];
  /** The tool wants to be run as a task of the protocol. */
  readonly needsTask: boolean;
  readonly warnings: readonly string[];
}

/** A tool, or why it cannot be offered. */
export type ForeignToolReading =
  | { readonly ok: true; readonly foreign: ForeignTool }
  | { readonly ok: false; readonly name: string; readonly reason: string };

/** What a tool is made with beside its description. */
export interface ForeignToolOptions {
  readonly settings: ServerSettings;
  /** Arguments go into headers too, as the modern protocol does over HTTP. */
  readonly mirrorsHeaders: boolean;
  /** The definition has changed since it was first seen: what its server says of it counts no more. */
  readonly isChanged: (pin: string) => boolean;
  readonly run: (
    foreign: ForeignTool,
    input: JsonObject,
    context: KernelContext,
  ) => Promise<ToolOutput>;
}

/** Makes a tool of ours from a server's description of it. */
export function toForeignTool(listed: ListedTool, options: ForeignToolOptions): ForeignToolReading {
  const { settings } = options;
  const trusting: ServerSettings = settings.autoApprove.has(listed.name)
    ? { ...settings, trust: 'trusted' }
    : settings;
  const name = toExportName(settings.name, listed.name);
  const refuse = (reason: string): ForeignToolReading => ({ ok: false, name, reason });
  const input = fromForeignSchema(listed.inputSchema);
  if (!input.usable) return refuse(`its input schema cannot be used: ${input.reason}`);
  const odd = oddPropertyName(input.schema);
  if (odd !== undefined) {
    return refuse(
      `its input schema has a property named ${JSON.stringify(odd.slice(0, 100))}, which model providers refuse`,
    );
  }
  const headers: ParamHeaderReading = options.mirrorsHeaders
    ? readParamHeaders(listed.inputSchema)
    : { ok: true, headers: [] };
  if (!headers.ok) return refuse(`its input schema asks for impossible headers: ${headers.reason}`);
  const output =
    listed.outputSchema === undefined
      ? undefined
      : fromForeignSchema(listed.outputSchema, 'output');
  const schema = output?.usable === true ? output.schema : undefined;
  const warnings = [
    ...input.warnings.map((warning) => `inputSchema: ${warning}`),
    ...(output === undefined
      ? []
      : output.usable
        ? output.warnings.map((warning) => `outputSchema: ${warning}`)
        : [`outputSchema is not used: ${output.reason}`]),
  ];
  const definition = definitionOf(listed);
  const pin = sha256Hex(canonicalJson(definition));
  const { annotations = {} } = listed;
  const foreign: ForeignTool = {
    original: listed.name,
    pin,
    definition,
    outputValidator: schema === undefined ? undefined : createValidator(schema),
    repeatable: annotations.idempotentHint === true || annotations.readOnlyHint === true,
    paramHeaders: headers.headers,
    needsTask: listed.execution?.taskSupport === 'required',
    warnings,
    // `defineTool` wants closed schemas, as ours are; a server's stays as open as its owner made it.
    get tool() {
      return tool;
    },
  };
  const believes = (): boolean => trusting.trust !== 'untrusted' && !options.isChanged(pin);
  const title = listed.title ?? annotations.title;
  const tool: Tool = Object.freeze<Tool>({
    name,
    title: title === undefined ? undefined : toPlainText(title, 200),
    description: describe(listed, settings.name),
    input: input.schema,
    output: schema,
    examples: [],
    keywords: [settings.name],
    requires: [],
    uses: [],
    visibility: settings.defer ? 'deferred' : 'visible',
    orchestrator: false,
    untrusted: true,
    // The call's own timers end it first.
    timeoutMs: () => settings.maxTotalMs + settings.connectTimeoutMs + 1_000,
    capabilities: () =>
      capabilitiesOf(annotations, { believed: believes(), hasOutput: schema !== undefined }),
    effects: () =>
      believes() ? effectsOf(annotations, trusting) : [{ kind: 'unknown', target: '**' }],
    run: async (args, context) =>
      // The kernel has validated the arguments against an object schema.
      options.run(foreign, args as JsonObject, context),
  });
  return { ok: true, foreign };
}

function describe(listed: ListedTool, server: string): string {
  const own = toPlainText(listed.description ?? '', MAX_DESCRIPTION_CHARS).trim();
  return own === '' ? `The tool ${listed.name.slice(0, 100)} of the MCP server ${server}.` : own;
}

function definitionOf(listed: ListedTool): JsonObject {
  const { name, title, description, inputSchema, outputSchema, annotations } = listed;
  const definition = { name, title, description, inputSchema, outputSchema, annotations };
  // Parsed from JSON; leaves out what is absent.
  return JSON.parse(JSON.stringify(definition)) as JsonObject;
}

type Annotations = NonNullable<ListedTool['annotations']>;

function capabilitiesOf(
  annotations: Annotations,
  { believed, hasOutput }: { readonly believed: boolean; readonly hasOutput: boolean },
): ToolCapabilities {
  const outputKind = hasOutput ? 'structured' : 'mixed';
  if (!believed) return { ...cautiousCapabilities, outputKind };
  const readOnly = annotations.readOnlyHint === true;
  return {
    ...cautiousCapabilities,
    readOnly,
    idempotent: readOnly || annotations.idempotentHint === true,
    cancellationSafe: readOnly,
    maxParallelism: MAX_PARALLELISM,
    outputKind,
  };
}

/** What a believed tool touches. `trusted` means that the host wants none of its calls asked about. */
export function effectsOf(annotations: Annotations, settings: ServerSettings): readonly Effect[] {
  if (settings.trust === 'trusted') return [];
  const { readOnlyHint = false, destructiveHint = true, openWorldHint = false } = annotations;
  if (!readOnlyHint && destructiveHint) return [{ kind: 'unknown', target: '**' }];
  const { endpoint } = settings;
  const effects: Effect[] = [];
  if (endpoint.kind === 'http') {
    const { url } = endpoint;
    const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port;
    const target = `${url.hostname}:${port}`;
    effects.push(readOnlyHint ? { kind: 'net', target } : { kind: 'net', target, method: 'POST' });
    return effects;
  }
  effects.push({ kind: readOnlyHint ? 'read' : 'write', target: '**' });
  // A program that says that it reaches the open world does not say which hosts.
  if (openWorldHint) effects.push({ kind: 'net', target: 'open-world:443' });
  return effects;
}

/** Property names outside of what providers take cost every request that the tool is part of. */
function oddPropertyName(schema: JsonSchema): string | undefined {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return undefined;
  return Object.keys(properties).find((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name));
}
