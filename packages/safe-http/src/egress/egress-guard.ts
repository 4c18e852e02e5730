import type { Hooks, HttpEgressFinding } from '@toolwright/core';
import { portOf } from '../url/parse-request-url.ts';
import { decodeRuns } from './encoded-runs.ts';
import { ResultMemory } from './result-memory.ts';
import { needlesOf } from './secret-needles.ts';
import type { SecretNeedle } from './secret-needles.ts';

/** What a guard is made from. */
export interface EgressGuardOptions {
  /** Secrets by name; see `secretsOfEnvironment`. Values under 8 characters are left out. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** What a request would send. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly body: Uint8Array | undefined;
}

/** Looks at URLs and bodies for data on its way out. */
export interface EgressGuard {
  /** The first finding; `undefined` for a harmless request. */
  inspect(request: OutgoingRequest): HttpEgressFinding | undefined;
  /** Takes note of a result that the model has seen. `isExternal`: it came from outside, so that following its links is normal. */
  remember(text: string, options: { readonly isExternal: boolean }): void;
  /** Hooks for `createHost`, which remember every result. */
  readonly hooks: Hooks;
}

/** Bytes of a body that are looked at. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Characters of plain text in a request from which a copy of an earlier result counts. */
const MIN_COPIED = 160;

/**
 * Makes a guard against data leaving by URL or body, as a model can be talked into: it finds the given secrets, plain, percent-encoded,
 * reversed, in hexadecimal and base64; and long encoded data that says what an earlier result of the workspace said, or long copies of
 * one. A URL that stands word for word in a result from outside is a link that is followed, and no finding.
 *
 * It is a tripwire for mistakes and simple attacks: encryption, other encodings, and data in many small pieces pass.
 */
export function createEgressGuard(options: EgressGuardOptions): EgressGuard {
  const needles = Object.entries(options.secrets).flatMap(([name, value]) =>
    needlesOf(name, value),
  );
  const inside = new ResultMemory();
  const outside = new ResultMemory();
  const remember: EgressGuard['remember'] = (text, { isExternal }) => {
    (isExternal ? outside : inside).add(text);
  };
  return {
    inspect: (request) => inspect(request, { needles, inside, outside }),
    remember,
    hooks: {
      name: 'egress-guard',
      afterTool: (_call, result) => {
        remember(result.output, { isExternal: result.trust === 'external' });
      },
    },
  };
}

interface Knowledge {
  readonly needles: readonly SecretNeedle[];
  readonly inside: ResultMemory;
  readonly outside: ResultMemory;
}

function inspect({ url, body }: OutgoingRequest, known: Knowledge): HttpEgressFinding | undefined {
  const target = `${url.hostname}:${String(portOf(url))}`;
  const sent: readonly (readonly [HttpEgressFinding['where'], string])[] = [
    ['url', url.href],
    [
      'body',
      body === undefined ? '' : Buffer.from(body.subarray(0, MAX_BODY_BYTES)).toString('utf8'),
    ],
  ];
  for (const [where, text] of sent) {
    const forms = formsOf(text);
    const secret = known.needles.find((needle) => forms.some((form) => holds(form, needle)));
    if (secret !== undefined) {
      return {
        kind: 'secret',
        where,
        target,
        message: `The ${where} holds the secret ${secret.name}.`,
      };
    }
    if (isCopy(forms, known)) {
      return {
        kind: 'earlier_result',
        where,
        target,
        message: `The ${where} holds content of an earlier result of this session.`,
      };
    }
  }
  return undefined;
}

/** A text as sent, and as it reads once and twice percent-decoded. */
function formsOf(text: string): readonly string[] {
  const once = percentDecoded(text);
  return [...new Set([text, once, percentDecoded(once)])];
}

function percentDecoded(text: string): string {
  const bytes = text
    .replaceAll('+', ' ')
    .replaceAll(/(?:%[\da-f]{2})+/giu, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
    );
  return bytes;
}

function holds(text: string, needle: SecretNeedle): boolean {
  return needle.isCaseSensitive
    ? text.includes(needle.text)
    : text.toLowerCase().includes(needle.text);
}

function isCopy(forms: readonly string[], { inside, outside }: Knowledge): boolean {
  const [asSent = ''] = forms;
  if (asSent === '' || outside.includes(asSent)) {
    return false;
  }
  const decoded = forms.flatMap((form) => decodeRuns(form));
  const plain = forms.filter((form) => form.length >= MIN_COPIED);
  return [...decoded, ...plain].some((text) => inside.knows(text));
}
