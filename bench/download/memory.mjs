// Downloads once and tells what memory that took above idle: `node memory.mjs ROOT PORT CONNECTIONS`.
import { openDownloads } from './session.mjs';

const [, , root, port, connections] = process.argv;
const own = await openDownloads(root, port);
const idle = process.memoryUsage().rss;
let peak = idle;
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 2);
await own.run({ connections: Number(connections) });
clearInterval(timer);
await own.close();
process.stdout.write(String((Math.max(peak, process.memoryUsage().rss) - idle) / 1024 / 1024));
