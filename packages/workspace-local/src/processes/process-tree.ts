import type { LeftProcess } from './launcher.ts';

/** The tree that grew from one launched program. */
export interface TreeRoot {
  readonly pid: number;
  readonly token: string;
  readonly sandboxed: boolean;
}

/** Finding and signalling the members of a tree. */
export interface ProcessTree {
  /** What still runs of it, the root left out; the sandbox's own processes are not reported. */
  left(root: TreeRoot): LeftProcess[];
  /** Signals the group and every member that left it. */
  signal(root: TreeRoot, name: NodeJS.Signals): void;
  /** SIGTERM, up to `graceMs`, then SIGKILL until nothing is found. Returns what survived. */
  end(root: TreeRoot, graceMs: number): Promise<LeftProcess[]>;
}

/**
 * Makes a {@link ProcessTree}. A member is who is in the root's group or session, carries its token in
 * the environment, or descends from a member. On Linux this reads `/proc`, elsewhere it asks `ps`, which
 * shows no environment. Who left the group, cleared its environment and lost its parents is not found.
 *
 * `candidates` lists the processes that can belong to any tree at all, where a control group knows them.
 *
 * The function must not use anything from outside its own body: its source is sent to the broker.
 */
export function createProcessTree(candidates: (() => number[]) | null): ProcessTree {
  interface Entry {
    readonly pid: number;
    readonly parent: number;
    readonly group: number;
    readonly session: number;
    readonly dead: boolean;
    readonly name: string;
    environment: string | null;
  }
  const fs = process.getBuiltinModule('node:fs');
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const linux = process.platform === 'linux';

  const readText = (path: string): string => {
    try {
      return fs.readFileSync(path, 'latin1');
    } catch {
      return ''; // the process is gone, or is not ours to look at
    }
  };

  const linuxEntries = (): Entry[] => {
    const entries: Entry[] = [];
    for (const pid of candidates?.() ?? fs.readdirSync('/proc').map(Number)) {
      if (!(pid > 0) || pid === process.pid) continue;
      const stat = readText(`/proc/${pid}/stat`);
      const close = stat.lastIndexOf(')');
      if (close < 0) continue;
      const [state, parent, group, session] = stat.slice(close + 2).split(' ');
      entries.push({
        pid,
        parent: Number(parent),
        group: Number(group),
        session: Number(session),
        dead: state === 'Z' || state === 'X',
        name: stat.slice(stat.indexOf('(') + 1, close),
        environment: null,
      });
    }
    return entries;
  };

  const listedEntries = (): Entry[] => {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,comm='], {
      encoding: 'latin1',
    });
    return [...(stdout ?? '').matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s*(.*)$/gm)].map(
      ([, pid, parent, group, state, name]) => ({
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: 0,
        dead: state?.startsWith('Z') === true,
        name: name ?? '',
        environment: '',
      }),
    );
  };

  // Trees that are looked at in one turn of the event loop share one look at the system.
  let snapshot: Entry[] | null = null;
  const look = (): Entry[] => {
    if (snapshot === null) {
      snapshot = linux ? linuxEntries() : listedEntries();
      setImmediate(() => {
        snapshot = null;
      });
    }
    return snapshot;
  };

  // The environment of a process can change until it has executed its program; a member that is missed
  // while it starts is found by its group or parent.
  const hasToken = (entry: Entry, token: string): boolean => {
    entry.environment ??= readText(`/proc/${entry.pid}/environ`);
    return entry.environment.includes(token);
  };

  const members = (root: TreeRoot): Entry[] => {
    const entries = look();
    const found = new Set<number>([root.pid]);
    for (const entry of entries) {
      const belongs =
        entry.group === root.pid || entry.session === root.pid || hasToken(entry, root.token);
      if (belongs) found.add(entry.pid);
    }
    for (let size = 0; size !== found.size;) {
      size = found.size;
      for (const entry of entries) if (found.has(entry.parent)) found.add(entry.pid);
    }
    return entries.filter((entry) => found.has(entry.pid) && !entry.dead);
  };

  // The sandbox's launcher and the first process inside end at once on any signal and take the command
  // with them, so a graceful signal must not reach them.
  const isSandbox = (root: TreeRoot, entry: Entry): boolean =>
    root.sandboxed && entry.name === 'bwrap';

  const kill = (pid: number, name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name);
    } catch {
      // gone meanwhile, or not ours
    }
  };

  const commandLine = (pid: number): string => {
    const text = linux
      ? readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
      : (spawnSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'latin1' }).stdout ?? '');
    return Buffer.from(text.trim(), 'latin1').toString('utf8').slice(0, 200);
  };

  const left = (root: TreeRoot): LeftProcess[] =>
    members(root)
      .filter((entry) => entry.pid !== root.pid && !isSandbox(root, entry))
      .map((entry) => ({ pid: entry.pid, command: commandLine(entry.pid) || entry.name }));

  const signal = (root: TreeRoot, name: NodeJS.Signals): void => {
    const everyone = name === 'SIGKILL' || !root.sandboxed;
    const entries = members(root);
    if (everyone) kill(-root.pid, name);
    for (const entry of entries) {
      const reached = everyone ? entry.group === root.pid : isSandbox(root, entry);
      if (!reached) kill(entry.pid, name);
    }
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    });

  const end = async (root: TreeRoot, graceMs: number): Promise<LeftProcess[]> => {
    if (members(root).length === 0) return [];
    signal(root, 'SIGTERM');
    const deadline = Date.now() + graceMs;
    for (let wait = 2; members(root).length > 0 && Date.now() < deadline;) {
      await pause(wait);
      wait = Math.min(wait * 2, 25);
    }
    for (let attempt = 0; attempt < 50; attempt += 1) {
      if (members(root).length === 0) {
        // Who is just executing another program has no environment for a moment: one look is not enough.
        await pause(5);
        if (members(root).length === 0) return [];
      }
      signal(root, 'SIGKILL');
      await pause(Math.min(2 << attempt, 20));
    }
    return members(root).map(({ pid, name }) => ({ pid, command: commandLine(pid) || name }));
  };

  return { left, signal, end };
}
