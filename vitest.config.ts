import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { limitedForks } from './test/support/limited-forks.ts';
import { clientTests, exchangeTests } from './test/support/exchange-tests.ts';

// The time limits are for tests that hang: a busy machine takes many times as long as an idle one.
export default defineConfig({
  test: {
    pool: limitedForks,
    globalSetup: 'test/support/temporary-folder.ts',
    // Many tests wait for programs, so one worker would leave a second processor idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'natter', include: ['test/**/*.test.{ts,tsx}'] } },
      {
        extends: true,
        test: { name: 'undici', include: [...exchangeTests], provide: { network: 'undici' } },
      },
      {
        extends: true,
        test: {
          name: 'early',
          include: [...clientTests],
          provide: { network: 'early' },
        },
      },
    ],
  },
});
