import { describe, expect, test } from 'vitest';
import { rule } from '../../sandbox/sandbox-helpers.ts';
import { openBatchPlace, openPrompts, parseResults, promptLines } from '../../support/batch.ts';
import { configWith } from '../../support/data-folder.ts';
import { expectFailure } from '../../support/in-memory.ts';

/** The environment of a profile with these prices. */
const withPrices = (prices: Readonly<Record<string, string>>) => {
  return { NATTER_CONFIG_DIR: configWith({ default: { prices } }) };
};

describe('limits of a run', () => {
  test('--max-total-tokens stops before they are exceeded, and the next run continues', async () => {
    const place = await openPrompts(40);
    const words = ['p.txt', '-o', 'out.jsonl', '-t', '30', '--max-total-tokens', '100'];
    const { code, stderr } = await place.run(words);
    expect(code).toBe(15);
    expect(stderr).toMatch(
      /natter: --max-total-tokens \(100 tokens\) would be exceeded: \d+ tokens used, and this request may use ~\d+ tokens; \d+ of 40 items answered in .*, \d+ tokens, \d+ left\n {2}run the same command again for the rest\n$/,
    );
    const used = Number(/, (\d+) tokens,/.exec(stderr)?.[1]);
    expect(used).toBeLessThanOrEqual(100);
    const answered = place.results('out.jsonl').length;
    expect(answered).toBeGreaterThan(4);
    expect(answered).toBeLessThan(40);
    await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(place.results('out.jsonl')).toHaveLength(40);
    expect(place.asked).toHaveLength(40);
  });

  test('--max-cost uses the prices of the profile, and the summary has the cost', async () => {
    const place = await openBatchPlace();
    const env = withPrices({ origin: '1000/2000 EUR' });
    place.write('p.txt', promptLines(20));
    const words = ['p.txt', '-o', 'out.jsonl', '-t', '10', '--max-cost', '0.08'];
    const { code, stderr } = await place.run(words, { env });
    expect(code).toBe(15);
    expect(stderr).toMatch(
      /--max-cost \(0\.08 EUR\) would be exceeded: 0\.0\d EUR used, and this request may use ~0\.03 EUR/,
    );
    const cost = Number(/tokens, ([\d.]+) EUR/.exec(stderr)?.[1]);
    expect(cost).toBeGreaterThan(0.04);
    expect(cost).toBeLessThanOrEqual(0.08);
    const all = await place.run(['p.txt', '-o', 'all.jsonl'], { env });
    expect(all.stderr).toMatch(/20 of 20 items answered in .* tokens, [\d.]+ EUR\n$/);
  });

  test('an answer of unknown length may stop a run at its first item', async () => {
    const place = await openBatchPlace();
    const result = await place.run(['-', '--max-total-tokens', '50'], { input: 'one\n' });
    expectFailure(result, 15, 'set --max-tokens; ');
    expect(place.asked).toEqual([]);
  });

  test.each([
    [{}, 0, '--max-cost needs the price of the model origin', 'natter config set prices.origin'],
    [
      { origin: '1 dollar' },
      0,
      'prices.origin in profile default must be the prices of a million tokens',
      'natter config unset prices.origin --profile default',
    ],
    [{ origin: '1/1', nextgen: '1/1 EUR' }, 1, 'needs the price of the model nextgen in USD'],
  ])('--max-cost with the prices %j is refused after %i items', async (prices, sent, ...texts) => {
    const place = await openBatchPlace();
    const env = withPrices(prices);
    const input = '{"prompt":"a","max_tokens":1}\n{"prompt":"b","model":"nextgen"}\n';
    const { code, stderr } = await place.run(['-', '--max-cost', '1'], { input, env });
    expect(code).toBe(3);
    for (const text of texts) expect(stderr).toContain(text);
    expect(place.asked).toHaveLength(sent);
  });

  test.each([
    [['--max-cost', '0'], '--max-cost must be an amount above 0'],
    [['--max-total-tokens', 'x'], '--max-total-tokens must be a whole number from 1'],
    [['--limit', '0'], '--limit must be a whole number from 1'],
    [['--sample', '2', '--seed', 'x'], '--seed must be a whole number from 0'],
    [['--sample', '2', '--limit', '2'], '--limit'],
    [['--rerun-failed', '101'], '--rerun-failed must be a whole number from 0 to 100'],
    [['--rpm', '1.5'], '--rpm must be a whole number from 1 to 1000000000'],
  ])('%j is refused', async (words, message) => {
    const place = await openBatchPlace();
    expectFailure(await place.run(['-', ...words], { input: 'one\n' }), 2, message);
    expect(place.asked).toEqual([]);
  });
});

test.each([
  ['{"prompt":"one","max_tokens":7}\n', ', at most ~0.02 USD\n'],
  ['{"prompt":"one"}\n', ', ~0.005 USD without the answers\n'],
  [
    '{"prompt":"one"}\n{"prompt":"two","model":"nextgen"}\n',
    ', ~0.005 USD without the answers (no price for nextgen)\n',
  ],
])('natter batch --dry-run estimates the cost of %j', async (input, text) => {
  const place = await openBatchPlace();
  const env = withPrices({ origin: '1000/2000' });
  const { stderr } = await place.run(['-', '--dry-run'], { input, env });
  expect(stderr).toContain(text);
});

test('X13: with --retries 0, refused items are answered while others are', async () => {
  const place = await openPrompts(40, [rule('429 retry-after=1 every=5')]);
  const { code, stdout } = await place.run(['p.txt', '--concurrency', '8', '--retries', '0']);
  expect(code).toBe(0);
  expect(parseResults(stdout)).toHaveLength(40);
  expect(place.asked.length).toBeGreaterThan(40);
});

const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 50, completion_tokens: 50, total_tokens: 100 },
});

test.each([
  ['--rpm 600 sends ten requests a second', 11, ['--concurrency', '16', '--rpm', '600']],
  [
    '--tpm 12000 sends two requests of 100 tokens a second',
    3,
    ['--concurrency', '1', '--tpm', '12000', '--no-stream'],
  ],
])('%s', async (_, items, words) => {
  const body = `body=${JSON.stringify(answer)} content-type=application/json`;
  const place = await openPrompts(items, [rule(body)]);
  const start = performance.now();
  expect(await place.run(['p.txt', ...words])).toMatchObject({ code: 0 });
  expect(place.asked).toHaveLength(items);
  expect(performance.now() - start).toBeGreaterThanOrEqual(999);
});
