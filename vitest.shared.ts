import { defineConfig } from 'vitest/config';
const conditions = ['@toolwright/source'];
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ['test/**/*.test.ts'] },
});
