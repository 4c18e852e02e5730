/** A control group with this process and all its children, which limits their number. */
export interface TaskLimit {
  /** Process ids of the group, this process included. */
  pids(): number[];
  /** Leaves the group again and removes it; idempotent. */
  release(): void;
}

/**
 * Puts this process into a new control group with at most `maxTasks` tasks, which all children inherit.
 * Returns null where no group can be made: no root, no writable `pids` controller, no Linux. An ordinary
 * user is limited by `RLIMIT_NPROC` instead (set before the broker starts); root is exempt from that.
 *
 * The function must not use anything from outside its own body: its source is sent to the broker.
 */
export function enterTaskGroup(maxTasks: number): TaskLimit | null {
  const fs = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const groups = (): string[] => {
    // Lines are `id:controllers:path`; version 2 has no controllers.
    const lines = fs.readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
    const found: string[] = [];
    for (const line of lines) {
      const [, controllers = '', ...rest] = line.split(':');
      const group = rest.join(':');
      if (controllers.split(',').includes('pids')) {
        found.push(path.join('/sys/fs/cgroup/pids', group));
      } else if (controllers === '') {
        found.push(path.join('/sys/fs/cgroup', group), path.join('/sys/fs/cgroup/unified', group));
      }
    }
    return found;
  };
  // A broker that was killed leaves its empty group behind.
  const sweep = (parent: string): void => {
    for (const name of fs.readdirSync(parent)) {
      const pid = /^toolwright-(\d+)$/.exec(name)?.[1];
      if (pid === undefined || fs.existsSync(`/proc/${pid}`)) continue;
      try {
        fs.rmdirSync(path.join(parent, name));
      } catch {
        // not empty: a stray of that broker lives on
      }
    }
  };
  const enter = (parent: string): TaskLimit => {
    sweep(parent);
    const group = path.join(parent, `toolwright-${process.pid}`);
    fs.mkdirSync(group);
    try {
      fs.writeFileSync(path.join(group, 'pids.max'), String(maxTasks));
      fs.writeFileSync(path.join(group, 'cgroup.procs'), String(process.pid));
    } catch (error) {
      fs.rmdirSync(group);
      throw error;
    }
    let held = true;
    return {
      pids: () =>
        fs.readFileSync(path.join(group, 'cgroup.procs'), 'latin1').split('\n').map(Number),
      release() {
        if (!held) return;
        held = false;
        try {
          fs.writeFileSync(path.join(parent, 'cgroup.procs'), String(process.pid));
          fs.rmdirSync(group);
        } catch {
          // a survivor keeps the group; it is empty and harmless once that one has ended
        }
      },
    };
  };
  try {
    for (const parent of groups()) {
      try {
        return enter(parent);
      } catch {
        // not writable or without the controller: try the next hierarchy
      }
    }
  } catch {
    // no control groups on this system
  }
  return null;
}
