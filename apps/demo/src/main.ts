import { parseDemoOptions, demoUsage } from './demo-options.ts';
import { DemoView } from './demo-view.ts';
import { runDemo } from './run-demo.ts';

const view = new DemoView(process.stdin, process.stdout);
try {
  const options = parseDemoOptions(process.argv.slice(2));
  if (options.help) view.line(demoUsage);
  else process.exitCode = await runDemo(options, view, process.env);
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  view.line(`${error.message}\n\n${demoUsage}`);
  process.exitCode = 2;
}
