import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  createValidator,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type PolicyInput,
  type ProjectionPolicy,
} from '@toolwright/core';
import type { Terminal } from '../terminal.ts';
import { ConfigError } from './config-error.ts';

/** A config file, validated, its `${env:NAME}` filled in. */
export interface Config {
  readonly providers?: readonly (
    | string
    | { readonly package: string; readonly options?: JsonObject }
  )[];
  readonly policy?: PolicyInput;
  readonly budget?: {
    readonly calls?: number;
    readonly bytes?: number;
    readonly timeMs?: number;
    readonly perTool?: Readonly<
      Record<string, { readonly calls?: number; readonly bytes?: number; readonly timeMs?: number }>
    >;
  };
  readonly projection?: ProjectionPolicy;
  readonly mcpServers?: Readonly<Record<string, JsonObject>>;
  readonly web?: {
    readonly allowPrivateHosts?: readonly string[];
    readonly resolve?: Readonly<Record<string, readonly string[]>>;
    readonly connect?: Readonly<Record<string, string>>;
    readonly proxy?: string;
    readonly browser?: {
      readonly enabled: boolean;
      readonly executablePath?: string;
      readonly noSandbox?: boolean;
    };
  };
  readonly workspace?: { readonly credentialFiles?: 'closed' | 'open' };
}

/** A config with the values of the environment that it named, which must never come out. */
export interface LoadedConfig {
  readonly config: Config;
  readonly secrets: readonly string[];
}

/**
 * Reads the file of `--config`, or the user's own; never one from the workspace, where agents write. Errors:
 * `ConfigError` with the file and the JSON pointer of each mistake.
 */
export function loadConfig(file: string | undefined, terminal: Terminal): LoadedConfig {
  const path = file === undefined ? userConfig(terminal.env) : resolve(terminal.cwd, file);
  if (path === undefined) return { config: {}, secrets: [] };
  const text = readText(path);
  const secrets = new Set<string>();
  const value = fillIn(parse(text, path), { env: terminal.env, secrets, path, pointer: '' });
  const checked = createValidator(schema()).check(value);
  if (!checked.valid) throw new ConfigError(`${path}: ${checked.message}`);
  // The schema is the type, checked by a test that compares the two.
  return { config: value as Config, secrets: [...secrets] };
}

function userConfig(env: Terminal['env']): string | undefined {
  const base = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const path = join(base, 'toolwright', 'toolwright.config.json');
  return existsSync(path) ? path : undefined;
}

function schema(): JsonSchema {
  const value: unknown = createRequire(import.meta.url)('../../config.schema.json');
  // Our own published file, an object by construction.
  return value as JsonSchema;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `${path}: cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function parse(text: string, path: string): JsonValue {
  try {
    // JSON.parse gives JSON values.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new ConfigError(
      `${path}: is no JSON (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

interface FillIn {
  readonly env: Terminal['env'];
  readonly secrets: Set<string>;
  readonly path: string;
  readonly pointer: string;
}

function fillIn(value: JsonValue, context: FillIn): JsonValue {
  if (typeof value === 'string') {
    if (context.pointer.startsWith('/mcpServers/')) return fillInServer(value, context);
    return value.replaceAll(/\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_: string, name: string) => {
      const found = fromEnvironment(name, context);
      if (found !== undefined) return found;
      throw new ConfigError(
        `${context.path}: ${context.pointer}: the environment has no variable ${name}`,
      );
    });
  }
  if (isJsonArray(value)) {
    return value.map((item, index) =>
      fillIn(item, { ...context, pointer: `${context.pointer}/${index}` }),
    );
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      fillIn(item, {
        ...context,
        pointer: `${context.pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      }),
    ]),
  );
}

/**
 * A text of a server, in the ways of writing that MCP clients share: `${NAME}` and `${NAME:-default}` (which stands for an
 * empty variable too) beside `${env:NAME}`, and in `env` a value that is `$NAME` and nothing else. What is not set stays
 * as a placeholder: that is the one server's failure, told when it is started.
 */
function fillInServer(value: string, context: FillIn): string {
  const isVariable = /^\/mcpServers\/[^/]+\/env\//.test(context.pointer);
  const text = isVariable ? value.replace(/^\$([A-Za-z_][A-Za-z0-9_]*)$/, '${$1}') : value;
  return text.replaceAll(
    /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (placeholder: string, name: string, fallback: string | undefined) => {
      const found = fromEnvironment(name, context);
      if (fallback !== undefined && (found === undefined || found === '')) return fallback;
      return found ?? placeholder;
    },
  );
}

/** A value of the environment; from now on it must not come out. */
function fromEnvironment(name: string, { env, secrets }: FillIn): string | undefined {
  const found = env[name];
  if (found !== undefined && found.length >= 6) secrets.add(found);
  return found;
}
