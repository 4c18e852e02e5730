import type { ToolOutput } from '@toolwright/core';
import { showName } from '../../display/show-name.ts';
import type { GitInput } from '../git-input.ts';
import { listPage } from '../page-of.ts';
import { splitNul } from '../parse-records.ts';
import { redactUrl } from '../redact-url.ts';
import { tryGit, type GitContext } from '../run-git.ts';

/** `git remote`: names and URLs, user names and tokens in them left out. */
export async function gitRemote(input: GitInput, context: GitContext): Promise<ToolOutput> {
  const { stdout } = await tryGit(context.workspace.git, {
    args: ['config', '-z', '--get-regexp', String.raw`^remote\..*\.(url|pushurl)$`],
    access: 'read',
    signal: context.signal,
  });
  const items = splitNul(stdout).map((entry) => {
    const [key = '', ...value] = entry.split('\n');
    const push = key.endsWith('.pushurl');
    return {
      name: key.slice('remote.'.length, key.lastIndexOf('.')),
      url: redactUrl(value.join('\n')),
      direction: push ? 'push' : 'fetch',
    };
  });
  const line = ({ name, url, direction }: (typeof items)[number]): string =>
    `${showName(name)} ${showName(url)} (${direction})\n`;
  const keyOf = ({ name, url, direction }: (typeof items)[number]): string =>
    JSON.stringify([name, direction, url]);
  const page = listPage({ query: 'remote', items, line, keyOf }, input, context);
  return { ...page, output: page.output === '' ? 'no remotes\n' : page.output };
}
