import { expect, it } from 'vitest';
import { commandEnvironment } from '../../src/processes/environment.ts';

it('lets through what is harmless, what is allowed, and what the call adds', () => {
  const env = commandEnvironment({
    host: {
      PATH: '/bin',
      LC_ALL: 'C',
      HTTPS_PROXY: 'http://proxy:8080',
      http_proxy: 'http://user:pass@proxy:8080',
      NODE_OPTIONS: '--require=./evil.js',
      LD_PRELOAD: './evil.so',
      BASH_ENV: './evil.sh',
      'BASH_FUNC_ls%%': '() { evil; }',
      GIT_DIR: '/other',
      AWS_SECRET_ACCESS_KEY: 'secret',
      NPM_TOKEN: 'secret',
      TERM: 'xterm-256color',
      PAGER: 'less',
      UNSET: undefined,
    },
    allow: ['NPM_TOKEN', 'PAGER', 'MISSING'],
    call: { A: '1', EDITOR: 'ed' },
  });
  expect(env).toMatchObject({
    PATH: '/bin',
    LC_ALL: 'C',
    HTTPS_PROXY: 'http://proxy:8080',
    NPM_TOKEN: 'secret',
    TERM: 'dumb',
    PAGER: 'less',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    A: '1',
    EDITOR: 'ed',
  });
  for (const name of ['http_proxy', 'NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'GIT_DIR']) {
    expect(env).not.toHaveProperty(name);
  }
  expect(Object.values(env).filter((value) => value === 'secret')).toHaveLength(1);
  expect(Object.keys(env).some((name) => name.startsWith('BASH_FUNC'))).toBe(false);
});
