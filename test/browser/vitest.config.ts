import { defineConfig } from 'vitest/config';

// Not part of the suite, because `npm run test:browser` needs Chromium.
export default defineConfig({
  test: {
    include: ['test/browser/page.ts'],
    globalSetup: 'test/support/temporary-folder.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
