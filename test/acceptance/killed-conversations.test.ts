import { afterAll, beforeAll, expect, test } from 'vitest';

import { pathOf } from '../../src/conversation/tree.ts';
import { seededRandom } from '../conversation/journal-fixtures.ts';
import { startNatter, type RunningNatter } from '../support/natter.ts';
import { serviceAt } from '../support/service.ts';
import { createDataFolder, type DataFolder } from './conversation-support.ts';

/** Milliseconds that a kill may cost: half a second, and as much again for a busy machine. */
const lossAllowed = 1000;

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

/** Kills natter this long after its answer began, in milliseconds. Gives what it had printed in time to be kept. */
async function killMidStream(data: DataFolder, prompt: string, delay: number): Promise<string> {
  const running = startNatter(['-c', prompt], { env: { ...data.env, ...env } });
  const printed: { readonly at: number; readonly length: number }[] = [];
  running.child.stdout?.on('data', () => {
    printed.push({ at: performance.now(), length: running.stdout().length });
  });
  await running.waitFor('stdout', /./);
  await new Promise((settle) => setTimeout(settle, delay));
  const killedAt = performance.now();
  running.child.kill('SIGKILL');
  const { signal, stdout } = await running.result;
  expect(signal).toBe('SIGKILL');
  const inTime = printed.findLast(({ at }) => at <= killedAt - lossAllowed);
  return stdout.slice(0, inTime?.length ?? 0);
}

async function killFiveTimes(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const data = createDataFolder();
  await data.run(['[sandbox echo] first'], { env });
  const expected = ['[sandbox echo] first', 'first'];
  let kept = 0;
  for (let round = 1; round <= 5; round += 1) {
    const prompt = `[sandbox tokens=1000 seed=${seed * 10 + round}]`;
    const least = await killMidStream(data, prompt, 500 + Math.floor(random() * 1500));
    const turns = pathOf(data.only());
    const answer = turns.at(-1);
    expect(turns.slice(0, -1).map(({ content }) => content)).toEqual([...expected, prompt]);
    expect(answer).toMatchObject({ role: 'assistant', incomplete: true });
    expect(answer?.content.startsWith(least)).toBe(true);
    kept += least.length;
    expected.push(prompt, answer?.content ?? '');
  }
  return kept;
}

test('D1 natter killed at 20 moments of its answers loses no turn, and of a text only its end', async () => {
  const kept = await Promise.all([1, 2, 3, 4].map((seed) => killFiveTimes(seed)));
  expect(Math.min(...kept)).toBeGreaterThan(0);
}, 120_000);
