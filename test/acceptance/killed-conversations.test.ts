import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { pathOf } from '../../src/conversation/tree.ts';
import { seededRandom } from '../conversation/journal-fixtures.ts';
import { startNatter, type RunningNatter } from '../support/natter.ts';
import { serviceAt } from '../support/service.ts';
import { createDataFolder, type DataFolder } from './conversation-support.ts';

let sandbox: RunningNatter;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = startNatter(['sandbox', '--rate', '50'], { keepInputOpen: true });
  await sandbox.waitFor('stderr', /NATTER_API_KEY=/);
  const [url = ''] = /http:\/\/[\d.:]+/.exec(sandbox.stdout() + sandbox.stderr()) ?? [];
  env = serviceAt({ url }, { NATTER_API_KEY: 'sandbox-key' });
});

afterAll(async () => {
  sandbox.child.kill('SIGTERM');
  await sandbox.result;
});

/**
 * Kills natter this long, in milliseconds, after the first words of its answer were on disk: while it goes on they are
 * kept in pieces. Gives those words.
 */
async function killMidStream(data: DataFolder, prompt: string, delay: number): Promise<string> {
  const running = startNatter(['-c', prompt], { env: { ...data.env, ...env } });
  await running.waitFor('stdout', /./);
  const words = running.stdout();
  const isKept = () => pathOf(data.only()).at(-1)?.content.startsWith(words);
  await vi.waitUntil(isKept, { timeout: 60_000, interval: 10 });
  await sleep(delay);
  running.child.kill('SIGKILL');
  expect((await running.result).signal).toBe('SIGKILL');
  return words;
}

/** How many turns are there after the kills. */
async function killFiveTimes(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const data = createDataFolder();
  await data.run(['[sandbox echo] first'], { env });
  const expected = ['[sandbox echo] first', 'first'];
  for (let round = 1; round <= 5; round += 1) {
    const prompt = `[sandbox tokens=1000 seed=${seed * 10 + round}]`;
    const words = await killMidStream(data, prompt, Math.floor(random() * 1000));
    const turns = pathOf(data.only());
    const answer = turns.at(-1);
    expect(turns.slice(0, -1).map(({ content }) => content)).toEqual([...expected, prompt]);
    expect(answer).toMatchObject({ role: 'assistant', incomplete: true });
    expect(answer?.content.startsWith(words)).toBe(true);
    expected.push(prompt, answer?.content ?? '');
  }
  return pathOf(data.only()).length;
}

test('D1 natter killed at 20 moments of its answers loses no turn, and no text that was on disk', async () => {
  const turns = await Promise.all([1, 2, 3, 4].map((seed) => killFiveTimes(seed)));
  expect(turns).toEqual([12, 12, 12, 12]);
}, 240_000);
