import { join } from 'node:path';
import { ours } from '../harness/packages.mjs';

const address = '93.184.216.34';

/** A session that downloads from a port on loopback, under the name `secure.test`. */
export async function openDownloads(root, port, { ca } = {}) {
  const { createHost } = await ours('core');
  const { createHttpClient } = await ours('safe-http');
  const { download } = await ours('tool-download');
  const { localWorkspace } = await ours('workspace-local');
  const http = createHttpClient({
    resolve: { 'secure.test': [address] },
    connect: {
      [`${address}:80`]: `127.0.0.1:${port}`,
      [`${address}:443`]: `127.0.0.1:${port}`,
    },
    ...(ca === undefined ? {} : { ca: [ca] }),
  });
  const workspace = localWorkspace(root);
  const session = await createHost({ providers: [download()] }).open({
    workspace,
    services: { http },
  });
  return {
    path: join(root, 'ours'),
    run: async (args) => {
      const scheme = ca === undefined ? 'http' : 'https';
      const result = await session.tool('download', {
        url: `${scheme}://secure.test/file`,
        file_path: 'ours',
        overwrite: true,
        max_bytes: 8_589_934_592,
        ...args,
      });
      if (result.error !== null) throw new Error(result.error.message);
      return result.metadata;
    },
    close: async () => {
      await session.close();
      await http.close();
      await workspace.close();
    },
  };
}
