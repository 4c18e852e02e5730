import { spawnSync } from 'node:child_process';

/** Whether Node takes a text as a module as it is, without a compiler that strips types. */
export function isPlainJavaScript(source: string): boolean {
  const check = spawnSync(process.execPath, ['--input-type=module', '--check', '-'], {
    input: source,
  });
  return check.status === 0;
}
