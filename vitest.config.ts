import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Temporal's native library belongs to a whole process, so files share none.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
