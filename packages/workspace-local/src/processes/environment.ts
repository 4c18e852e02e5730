/** What may pass from the host's environment to a command, by exact name. */
const allowed = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TZ',
  'LANG',
  'LANGUAGE',
  // where toolchains live
  'JAVA_HOME',
  'GOPATH',
  'GOROOT',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'NVM_DIR',
  'PNPM_HOME',
  'VOLTA_HOME',
  'BUN_INSTALL',
  'DENO_DIR',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'PYENV_ROOT',
  'RBENV_ROOT',
  'ANDROID_HOME',
  'DOTNET_ROOT',
  // files of certificates
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  // without which programs do not start on Windows
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'COMMONPROGRAMFILES',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  'OS',
]);

const proxies = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY']);

/** Settings that keep programs from waiting for a person, paging, colouring or opening an editor. */
const unattended: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  CLICOLOR: '0',
  CLICOLOR_FORCE: '0',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  BAT_PAGER: 'cat',
  GH_PAGER: 'cat',
  AWS_PAGER: '',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // An empty program name means none, and keeps git from falling back to the next one.
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GH_PROMPT_DISABLED: '1',
  PIP_NO_INPUT: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONUNBUFFERED: '1',
};

/** What {@link commandEnvironment} is made from. */
export interface EnvironmentOptions {
  /** The host's environment. */
  readonly host: Readonly<Record<string, string | undefined>>;
  /** Further names to let through, secrets among them. */
  readonly allow: readonly string[];
  /** The call's own variables; they win. */
  readonly call: Readonly<Record<string, string>>;
}

/**
 * The environment of a command: an allow list of the host's variables (a list of names to hide would miss
 * the next one), settings for running unattended, and what the call adds. A proxy with a password in its
 * URL is a secret, and passes only when it is allowed by name.
 */
export function commandEnvironment(options: EnvironmentOptions): Record<string, string> {
  const { host, allow, call } = options;
  const explicit = new Set(allow);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && (explicit.has(name) || isHarmless(name, value))) env[name] = value;
  }
  return { ...env, ...unattended, ...pickExplicit(host, allow), ...call };
}

function isHarmless(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  if (proxies.has(upper)) return !/:\/\/[^/]*@/.test(value);
  return allowed.has(upper) || /^LC_[A-Z]+$/.test(name);
}

// A name that the host allowed beats our own setting of it.
function pickExplicit(
  host: EnvironmentOptions['host'],
  allow: readonly string[],
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of allow) {
    const value = host[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
