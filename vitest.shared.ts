import { defineConfig } from 'vitest/config';
const conditions = ['@toolwright/source'];
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // A bound for what hangs; a machine under load must not fail a test that is right.
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
