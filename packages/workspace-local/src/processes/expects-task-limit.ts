import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether a limit on tasks will hold for commands: always for an ordinary user on Linux (a count), for root
 * where a control group with the `pids` controller can be made; see `enterTaskGroup`.
 */
export function expectsTaskLimit(): boolean {
  if (process.platform !== 'linux') return false;
  if (process.getuid?.() !== 0) return true;
  try {
    return readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n').some(hasWritablePids);
  } catch {
    return false;
  }
}

function hasWritablePids(line: string): boolean {
  const [, controllers = '', ...rest] = line.split(':');
  const group = rest.join(':');
  if (controllers.split(',').includes('pids')) {
    return isWritable(join('/sys/fs/cgroup/pids', group));
  }
  if (controllers !== '') return false;
  return ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].some((mount) => {
    const directory = join(mount, group);
    return delegatesPids(directory) && isWritable(directory);
  });
}

function delegatesPids(directory: string): boolean {
  try {
    const delegated = readFileSync(join(directory, 'cgroup.subtree_control'), 'utf8');
    return delegated.trim().split(' ').includes('pids');
  } catch {
    return false;
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
