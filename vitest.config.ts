import { defineConfig } from 'vitest/config';

// The limits are for what hangs: a busy machine takes many times as long as an idle one.
export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
