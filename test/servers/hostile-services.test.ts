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
        const broken = [
          !(stdout.startsWith(text) && maxText.startsWith(stdout)) && 'shows other text',
          code === 0 && rule.isFailed && 'calls a failed answer whole',
          code !== 0 && rule.isWhole && 'calls a whole answer failed',
          /^ +at /m.test(stderr) && 'prints a stack trace',
        ].filter((one) => one !== false);
        const seen = broken.length === 0 ? '' : JSON.stringify({ made, code, stdout, stderr });
        expect([broken, seen.slice(0, 3000)]).toEqual([[], '']);
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
