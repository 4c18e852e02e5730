/** What a path looks like, as far as mounts care. */
export type MountKind = 'directory' | 'file' | 'link' | 'absent';

/** The facts that decide what a sandboxed command sees. Paths are absolute. */
export interface SandboxView {
  /** Real path of the workspace. */
  readonly root: string;
  readonly cwd: string;
  readonly home: string;
  /** A private directory that commands of one workspace share as `/tmp`. */
  readonly temporary: string;
  /** The `PATH` of the command. */
  readonly searchPath: string;
  readonly network: boolean;
  /** Files and directories inside the workspace that must not be readable. */
  readonly hidden: readonly string[];
  /** Further paths to show, read-only, such as the common directory of a linked worktree. */
  readonly readable: readonly string[];
  /** Whether this `bwrap` can forbid further user namespaces inside (0.8 and later). */
  readonly disableUserNamespaces: boolean;
  /** Further paths to show, writable. */
  readonly writable: readonly string[];
  /** Links looked at, not followed. */
  readonly kindOf: (path: string) => MountKind;
  /** Where a link points, raw. */
  readonly linkTarget: (path: string) => string;
}

const systemDirectories = ['/usr', '/etc', '/opt', '/nix', '/gnu', '/snap', '/sys'];

// On merged-usr systems these are links into /usr.
const systemLinks = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

const systemSecrets = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/ssl/private',
  '/etc/pki/tls/private',
  '/etc/krb5.keytab',
  '/etc/docker',
  '/etc/kubernetes',
  '/etc/rancher',
  '/etc/NetworkManager',
  '/etc/wireguard',
];

/** Toolchains below the home directory; nothing else of it is shown. */
const homeToolchains = [
  '.nvm',
  '.volta',
  '.fnm',
  '.deno',
  '.bun',
  '.cargo',
  '.rustup',
  'go',
  '.pyenv',
  '.rbenv',
  '.asdf',
  '.sdkman',
  '.dotnet',
  '.local/bin',
  '.local/lib',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pipx',
  '.local/share/pnpm',
  '.local/share/uv',
];

/** What is a secret below a home directory, for the case that it lies in the workspace or a toolchain. */
const homeSecrets = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.config/gh',
  '.config/git/credentials',
  '.config/gcloud',
  '.config/op',
  '.config/google-chrome',
  '.config/chromium',
  '.mozilla',
  '.password-store',
  '.local/share/keyrings',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.terraform.d',
  '.bash_history',
  '.zsh_history',
];

/**
 * The arguments of `bwrap` before the program: an allow list. System directories and toolchains are
 * read-only; the workspace, `/tmp` and a throw-away home are writable; nothing else of the machine is
 * there. Processes, users, IPC and (unless wanted) the network are the sandbox's own, capabilities are gone.
 */
export function bubblewrapArguments(view: SandboxView): readonly string[] {
  const settings: readonly (readonly string[])[] = [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ['--cap-drop', 'ALL'],
    view.disableUserNamespaces ? ['--disable-userns'] : [],
    view.network ? [] : ['--unshare-net'],
    system(view),
    ['--bind', view.temporary, '/tmp'],
    ['--bind', view.temporary, '/var/tmp'],
    ['--tmpfs', view.home],
    toolchains(view),
    view.readable.flatMap((path) => ['--ro-bind-try', path, path]),
    view.writable.flatMap((path) => ['--bind-try', path, path]),
    ['--bind', view.root, view.root],
    repositoryPrograms(view),
    hide(view, secrets(view)),
    ['--remount-ro', '/'],
    ['--chdir', view.cwd],
  ];
  return settings.flat();
}

function system(view: SandboxView): readonly string[] {
  const links = systemLinks.flatMap((path) => {
    const kind = view.kindOf(path);
    if (kind === 'link') return ['--symlink', view.linkTarget(path), path];
    return kind === 'directory' ? ['--ro-bind', path, path] : [];
  });
  const settings: readonly (readonly string[])[] = [
    systemDirectories.flatMap((path) => ['--ro-bind-try', path, path]),
    links,
    ['--proc', '/proc'],
    ['--dev', '/dev'],
    ['--dir', '/run'],
    ['--dir', '/var'],
    ['--symlink', '/run', '/var/run'],
    // The resolver's configuration is often a link into /run, which is not shown.
    view.network ? resolver(view) : [],
  ];
  return settings.flat();
}

function resolver(view: SandboxView): readonly string[] {
  if (view.kindOf('/etc/resolv.conf') !== 'link') return [];
  const target = view.linkTarget('/etc/resolv.conf').replace(/^(\.\.\/)+/, '/');
  return target.startsWith('/run/') ? ['--ro-bind-try', target, target] : [];
}

function toolchains(view: SandboxView): readonly string[] {
  const { home, root } = view;
  const shown = homeToolchains.map((name) => `${home}/${name}`);
  for (const entry of view.searchPath.split(':')) {
    const path = entry.replace(/\/+$/, '');
    if (!path.startsWith('/') || path === home || isSystem(path) || isWithin(path, root)) continue;
    shown.push(path);
    const parent = path.slice(0, path.lastIndexOf('/'));
    // A toolchain's libraries stand beside its bin directory; a home or what holds one is no toolchain.
    const safe = !isWithin(home, parent) && !isWithin(root, parent) && parent !== `${home}/.local`;
    if (path.endsWith('/bin') && parent !== '' && safe) shown.push(parent);
  }
  // What is missing, or closed to this user, cannot be mounted.
  return [...new Set(shown)]
    .filter((path) => view.kindOf(path) !== 'absent')
    .toSorted((a, b) => a.length - b.length)
    .flatMap((path) => ['--ro-bind-try', path, path]);
}

// What the user's own git would run later is not for a sandboxed command to change.
function repositoryPrograms(view: SandboxView): readonly string[] {
  return [`${view.root}/.git/hooks`, `${view.root}/.git/config`]
    .filter((path) => view.kindOf(path) !== 'absent' && view.kindOf(path) !== 'link')
    .flatMap((path) => ['--ro-bind', path, path]);
}

function secrets(view: SandboxView): readonly string[] {
  const { home, root } = view;
  const below = homeSecrets
    .map((name) => `${home}/${name}`)
    .filter((path) => isWithin(path, root) || path.startsWith(`${home}/.cargo/`));
  return [...systemSecrets, ...below, ...view.hidden];
}

function hide(view: SandboxView, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const kind = view.kindOf(path);
    if (kind === 'directory') return ['--perms', '0000', '--tmpfs', path];
    // A device on a mount without devices: opening it fails, whoever asks.
    return kind === 'file' ? ['--ro-bind', '/dev/null', path] : [];
  });
}

function isSystem(path: string): boolean {
  return [...systemDirectories, ...systemLinks].some((directory) => isWithin(path, directory));
}

/** Whether `path` is `directory` or lies below it. */
function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
