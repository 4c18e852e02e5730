/** A spelling of a secret to look for. */
export interface SecretNeedle {
  readonly name: string;
  readonly text: string;
  readonly isCaseSensitive: boolean;
}

/** Shorter values would be found in ordinary text. */
const MIN_SECRET_LENGTH = 8;
/** Names of environment variables whose values are secrets. */
const SECRET_NAME =
  /(?:^|_)(?:AUTH|AUTHORIZATION|CREDENTIALS?|KEY|KEYS|PASS|PASSPHRASE|PASSWD|PASSWORD|PAT|PWD|SECRET|SECRETS|SESSION|TOKEN|TOKENS)(?:_|$)|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_TOKEN/iu;
/** Variables with such names that hold paths and sockets. */
const HARMLESS_NAME =
  /^(?:PWD|OLDPWD|SSH_AUTH_SOCK|XDG_SESSION_.*|DESKTOP_SESSION|SESSION_MANAGER|GPG_TTY)$/u;

/**
 * Picks from an environment what looks like a secret by its name (`GITHUB_TOKEN`, `DB_PASSWORD`), 8 characters or longer. Values by
 * name, for `createEgressGuard`.
 */
export function secretsOfEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const isSecret = SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
    if (isSecret && value !== undefined && value.length >= MIN_SECRET_LENGTH) {
      secrets[name] = value;
    }
  }
  return secrets;
}

/** The spellings in which a secret is recognised: plain, reversed, hexadecimal, base64 at any alignment. */
export function needlesOf(name: string, value: string): readonly SecretNeedle[] {
  if (value.length < MIN_SECRET_LENGTH) {
    return [];
  }
  const bytes = Buffer.from(value, 'utf8');
  const exact = [value, reversed(value), ...base64Cores(bytes)];
  return [
    ...exact.map((text) => ({ name, text, isCaseSensitive: true })),
    { name, text: bytes.toString('hex'), isCaseSensitive: false },
  ];
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}

/** What base64 makes of the bytes whatever stands before and after them: the characters that depend on them alone. */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/u, '');
    const start = Math.ceil((shift * 8) / 6);
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    const core = encoded.slice(start, end);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
