import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// The time limits are for tests that hang: a busy machine takes many times as long as an idle one.
export default defineConfig({
  test: {
    pool: 'forks',
    // No test mocks a module, and most of a file's time would go into loading natter again.
    isolate: false,
    globalSetup: 'test/support/temporary-folder.ts',
    // Most tests wait for programs and servers, so two workers keep a processor busy.
    maxWorkers: 2 * availableParallelism(),
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
    include: ['test/**/*.test.{ts,tsx}'],
    // `npm run test:documents`
    exclude: ['test/docs/**', 'test/package/**'],
  },
});
