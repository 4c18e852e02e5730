import type { Workspace } from '../workspace/workspace.ts';

/** What goes wrong: an error, no answer ever, a wrong answer, or the operation is done twice. */
export type WorkspaceFault = 'throw' | 'hang' | 'lie' | 'twice';

/** Which operation goes wrong, and how. */
export interface FaultPlan {
  /** Counted from 1 over all operations of the workspace. */
  readonly nth: number;
  readonly fault: WorkspaceFault;
  /** Told of each operation before it is done: its name, as `openRead`, and its number. */
  readonly onOperation?: (name: string, nth: number) => void;
}

/**
 * The same workspace, whose nth operation goes wrong. Operations are the methods of its services and of the
 * readers, transactions and staged files that these hand out; closing, rolling back and walking are never disturbed.
 */
export function faultyWorkspace(workspace: Workspace, plan: FaultPlan): Workspace {
  let count = 0;
  const spared = new Set(['close', 'rollback', 'declareSha256', 'walk']);
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key, object);
        if (typeof value !== 'function') return value;
        return (...args: readonly unknown[]): unknown => {
          const work = (): unknown => Reflect.apply(value, object, args);
          if (spared.has(String(key))) return work();
          count += 1;
          plan.onOperation?.(String(key), count);
          const result = count === plan.nth ? spoil(work, plan.fault) : work();
          return result instanceof Promise ? result.then(handOut) : result;
        };
      },
    });
  const handOut = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && hasMethods(value) ? wrap(value) : value;
  const services = Object.fromEntries(
    disturbed.flatMap((field) => {
      const service = workspace[field];
      return service === undefined ? [] : [[field, wrap(service)]];
    }),
  );
  return {
    ...workspace,
    ...services,
    resolvePath: (path) => workspace.resolvePath(path),
    close: () => workspace.close(),
  };
}

const disturbed = ['files', 'writer', 'walker', 'processes', 'git', 'search'] as const;

function hasMethods(value: object): boolean {
  return (
    Object.values(value).some((member) => typeof member === 'function') ||
    'promoteAll' in value ||
    'close' in value
  );
}

function spoil(work: () => unknown, fault: WorkspaceFault): unknown {
  switch (fault) {
    case 'throw':
      return Promise.reject(new Error('The workspace failed, as planned.'));
    case 'hang':
      return new Promise(() => {});
    case 'lie':
      return Promise.resolve(work()).then(lieAbout);
    case 'twice':
      return Promise.resolve(work()).then(work);
  }
}

/** Another value of the same shape. */
function lieAbout(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.map((byte) => byte ^ 1);
  if (Array.isArray(value)) return [];
  if (typeof value === 'object' && value !== null && 'size' in value) {
    return { ...value, size: Number(value.size) + 1 };
  }
  return value;
}
