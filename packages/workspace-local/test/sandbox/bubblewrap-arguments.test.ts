import { describe, expect, it } from 'vitest';
import { bubblewrapArguments, type SandboxView } from '../../src/sandbox/bubblewrap-arguments.ts';

const view: SandboxView = {
  root: '/home/u/project',
  cwd: '/home/u/project/sub',
  home: '/home/u',
  temporary: '/tmp/shared',
  searchPath:
    '/usr/bin:/home/u/.nvm/v20/bin:/home/u/bin:/home/u/.local/bin:relative:/closed/bin:/home/u/project/node_modules/.bin:/bin',
  network: false,
  hidden: ['/home/u/project/.env'],
  readable: [],
  writable: [],
  disableUserNamespaces: true,
  kindOf: (path) =>
    path.endsWith('.env') ? 'file' : path.startsWith('/home/u/') ? 'directory' : 'absent',
  linkTarget: () => '',
};

/** Mounts by what they show where, in order. */
function mounts(args: readonly string[]): string[] {
  const found: string[] = [];
  for (const [i, arg] of args.entries()) {
    if (/^--(ro-)?bind(-try)?$/.test(arg))
      found.push(`${arg.slice(2)} ${args[i + 1]} ${args[i + 2]}`);
    if (arg === '--tmpfs') found.push(`tmpfs ${args[i + 1]}`);
  }
  return found;
}

describe('the arguments of bubblewrap', () => {
  it('show toolchains of the search path, never a whole home', () => {
    const shown = mounts(bubblewrapArguments(view));
    expect(shown).toContain('ro-bind-try /home/u/.nvm/v20 /home/u/.nvm/v20');
    expect(shown).toContain('ro-bind-try /home/u/bin /home/u/bin');
    expect(shown.some((mount) => mount.includes('/closed'))).toBe(false);
    expect(shown).toContain('ro-bind-try /home/u/.local/bin /home/u/.local/bin');
    for (const path of ['/home/u', '/home/u/.local', '/home', '/', 'relative']) {
      expect(shown.some((mount) => mount.endsWith(` ${path} ${path}`))).toBe(false);
    }
  });

  it('hide the home before they show what is in it, and secrets last', () => {
    const shown = mounts(bubblewrapArguments(view));
    const at = (mount: string): number => shown.indexOf(mount);
    expect(at('tmpfs /home/u')).toBeGreaterThan(at('bind /tmp/shared /tmp'));
    expect(at('bind /home/u/project /home/u/project')).toBeGreaterThan(at('tmpfs /home/u'));
    expect(at('ro-bind /dev/null /home/u/project/.env')).toBe(shown.length - 1);
  });

  it('hide the secrets of a home that is the workspace', () => {
    const shown = mounts(
      bubblewrapArguments({
        ...view,
        root: '/home/u',
        kindOf: (path) =>
          path === '/home/u/.ssh' ? 'directory' : path === '/home/u/.netrc' ? 'file' : 'absent',
      }),
    );
    expect(shown).toContain('tmpfs /home/u/.ssh');
    expect(shown).toContain('ro-bind /dev/null /home/u/.netrc');
  });

  it('leave the network alone only when it is wanted', () => {
    expect(bubblewrapArguments(view)).toContain('--unshare-net');
    const open = bubblewrapArguments({
      ...view,
      network: true,
      kindOf: (path) => (path === '/etc/resolv.conf' ? 'link' : 'absent'),
      linkTarget: () => '../run/systemd/resolve/stub-resolv.conf',
    });
    expect(open).not.toContain('--unshare-net');
    expect(mounts(open)).toContain(
      'ro-bind-try /run/systemd/resolve/stub-resolv.conf /run/systemd/resolve/stub-resolv.conf',
    );
  });
});
