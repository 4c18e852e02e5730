import type { Provider } from '../provider/provider.ts';
import { conformanceChecks } from './conformance-checks.ts';
import { runCheck, type ConformanceOptions } from './run-conformance.ts';

/** A test runner's `test` or `it`. */
export type DefineTest = (name: string, run: () => Promise<void>) => unknown;

/**
 * Defines one test for each check of each tool, with the functions of any test runner. A test fails with what
 * was wrong.
 */
export function toolConformance(
  test: DefineTest,
  provider: Provider,
  options: ConformanceOptions,
): void {
  for (const tool of provider.tools) {
    for (const name of Object.keys(conformanceChecks)) {
      test(`${tool.name} ${name}`, async () => {
        const check = await runCheck({ provider, tool, name }, options);
        if (!check.ok) throw new Error(check.detail);
      });
    }
  }
}
