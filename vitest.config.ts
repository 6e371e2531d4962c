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
    projects: [
      {
        extends: true,
        test: {
          name: 'natter',
          include: ['test/**/*.test.{ts,tsx}'],
          // `npm run test:documents`
          exclude: ['test/docs/**', 'test/package/**'],
        },
      },
      {
        extends: true,
        // What the wire decides is tested over both transports (docs/decisions/0001-http-transport.md).
        test: {
          name: 'undici',
          include: ['test/client/client-{connection,retry,stream}.test.ts'],
          provide: { network: 'undici' },
        },
      },
    ],
  },
});
