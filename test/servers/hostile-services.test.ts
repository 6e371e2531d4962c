import { expect, test } from 'vitest';
import { hostileCase } from '../support/hostile-service.ts';
import { runInMemory } from '../support/in-memory.ts';
import { fc } from '../support/properties.ts';
import { startRawServer } from '../support/raw-server.ts';

/** `npm run test:hostile` tries 5,000. */
const cases = Number(process.env['NATTER_HOSTILE_CASES'] ?? 200);

test(`${cases} hostile services: exit 0 means a whole answer, and the text shown is the text sent`, async () => {
  let answered = 0;
  const property = fc.asyncProperty(
    hostileCase,
    async ({ reply, made, text, maxText, ...rule }) => {
      const server = await startRawServer([reply]);
      try {
        const words = ['--no-save', '--retries', '0', '--raw', '--first-byte-timeout', '20s', 'hi'];
        const env = { NATTER_BASE_URL: server.url };
        const { code, stdout, stderr } = await runInMemory(words, { env });
        const seen = JSON.stringify({ made, text, rule, code, stdout, stderr }).slice(0, 3000);
        expect(stdout.startsWith(text) && maxText.startsWith(stdout), seen).toBe(true);
        if (code === 0) expect(rule.isFailed, seen).toBe(false);
        else expect(rule.isWhole, seen).toBe(false);
        if (rule.isWhole) expect(stdout, seen).toBe(text);
        expect(stderr, seen).not.toMatch(/^ +at /m);
        if (code === 0) answered += 1;
      } finally {
        await server.stop();
      }
    },
  );
  await fc.assert(property, {
    numRuns: cases,
    endOnFailure: true,
    reporter: (details) => {
      if (details.failed) throw details.errorInstance ?? new Error('failed');
    },
  });
  expect(answered).toBeGreaterThan(cases / 10);
}, 3_600_000);
