import { defineConfig } from 'vitest/config';

// Apart from the suite, because not every machine has every shell: `npm run test:shells` needs bash, zsh and fish.
export default defineConfig({
  test: { include: ['test/shells/*.ts'], exclude: ['**/vitest.config.ts'], testTimeout: 60_000 },
});
