import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether all of these commands are installed; the first that is not, or undefined. */
export function missingCommand(commands) {
  return commands.find((name) => spawnSync(name, ['--version']).error?.code === 'ENOENT');
}

/** Serves the files of `folder` by nginx on loopback, plain and over TLS, until `close` is called. */
export async function startNginx(folder, { cert, key }) {
  const [plain, secure] = [await freePort(), await freePort()];
  const home = join(folder, 'nginx');
  mkdirSync(home);
  writeFileSync(join(home, 'cert.pem'), cert);
  writeFileSync(join(home, 'key.pem'), key, { mode: 0o600 });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${home}/${name};`)
    .join(' ');
  writeFileSync(
    join(home, 'nginx.conf'),
    `worker_processes 1; daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log;
     events {}
     http { ${temporary} access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream;
       server { listen 127.0.0.1:${plain}; listen 127.0.0.1:${secure} ssl; root ${folder}/served;
         ssl_certificate ${home}/cert.pem; ssl_certificate_key ${home}/key.pem; } }`,
  );
  // Ends with us, however we end: when our side of the pipe is closed, the shell clears up.
  const script = 'nginx -c "$0/nginx.conf" -p "$0" & read -r _; kill $!; wait; rm -rf "$1"';
  const child = spawn('sh', ['-c', script, home, folder], { stdio: ['pipe', 'ignore', 'ignore'] });
  await until(plain);
  return {
    plain,
    secure,
    close: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function until(port) {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch {
      await delay(25);
    }
  }
  throw new Error('nginx does not answer');
}
