import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
const conditions = ['@toolwright/source'];
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // A bound for what hangs; a machine under load must not fail a test that is right.
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: [fileURLToPath(new URL('scripts/fixed-seed.mjs', import.meta.url))],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
