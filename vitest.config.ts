import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Temporal's native library belongs to a whole process, so files share none.
    pool: 'forks',
    // Most files wait for servers and deadlines, so even two cores carry two of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // For machines that are many times slower; nothing is judged by how long it takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
