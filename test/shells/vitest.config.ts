import { defineConfig } from 'vitest/config';

// Not part of the suite, because `npm run test:shells` needs bash, zsh and fish.
export default defineConfig({
  test: {
    include: ['test/shells/*.ts'],
    exclude: ['**/vitest.config.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
