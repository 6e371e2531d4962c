import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerLine } from '../../src/usage/ledger.ts';
import { stateWith } from '../usage/ledger-place.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { delta, json, stream } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const time = new Date().toISOString();
const lastYear = new Date(Date.now() - 400 * 86_400_000).toISOString();

/** A service that uses 100 tokens for each prompt, and a ledger with these requests. */
async function openPlace(
  replies: number,
  lines: readonly Partial<LedgerLine>[] = [],
  profile: object = {},
) {
  const usage = { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 };
  const message = { role: 'assistant', content: 'ok' };
  const answer = json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
  const server = await serve(Array.from({ length: replies }, () => [answer]));
  const state = stateWith(lines.map((line) => ({ time, ...line })));
  const config = mkdtempSync(join(tmpdir(), 'natter-config-'));
  const document = { version: 1, profiles: { default: profile } };
  writeFileSync(join(config, 'config.json'), JSON.stringify(document));
  const folders = { NATTER_STATE_DIR: state, NATTER_CONFIG_DIR: config };
  const env = { ...serviceAt(server), ...folders };
  const run = (words: readonly string[], input = '', more: Record<string, string> = {}) =>
    runInMemory(words, { env: { ...env, ...more }, input });
  return { server, run };
}

test('a request that might exceed the budget is not sent', async () => {
  const used = { prompt_tokens: 900, completion_tokens: 50 };
  const { run, server } = await openPlace(0, [used, { ...used, time: lastYear }]);
  const { code, stdout, stderr } = await run(['-t', '100', '--budget', '1k/day', 'hi']);
  expect({ code, stdout }).toEqual({ code: 15, stdout: '' });
  expect(stderr).toContain(
    'the daily budget (1,000 tokens) would be exceeded: 950 tokens used, and this request may use ~105 tokens\n',
  );
  expect(stderr).toMatch(
    / {2}set a smaller --max-tokens, raise --budget, or wait until .*; natter usage shows the requests\n/,
  );
  expect(server.requests).toHaveLength(0);
});

test.each<[string, readonly string[], Record<string, string>, number, string]>([
  ['no shorter answer fits', ['-t', '9', '--budget', '1k/day'], {}, 2000, 'raise --budget, or'],
  [
    'the answer has no limit',
    ['--budget', '1k/day'],
    {},
    0,
    'set --max-tokens, raise --budget, or',
  ],
  ['of NATTER_BUDGET', [], { NATTER_BUDGET: '1k/day' }, 2000, 'raise NATTER_BUDGET, or'],
])('the hint of a refused request depends on its cause: %s', async (_, words, env, used, hint) => {
  const { run } = await openPlace(0, used === 0 ? [] : [{ prompt_tokens: used }]);
  const { code, stderr } = await run([...words, 'hi'], '', env);
  expect(code).toBe(15);
  expect(stderr).toContain(`  ${hint} wait until`);
});

test('the hint of the sandbox shows the requests to the sandbox', async () => {
  const { run } = await openPlace(0, []);
  const { code, stderr } = await run(['--sandbox', '--budget', '10/day', '-t', '99', 'hi']);
  expect(code).toBe(15);
  expect(stderr).toContain('; natter usage --sandbox shows the requests\n');
});

test('a request that fits is sent, with one warning from 80 % on', async () => {
  const { run } = await openPlace(2, [{ prompt_tokens: 400, completion_tokens: 300 }]);
  const words = ['-t', '50', '--budget', '1000/week', 'hi'];
  expect(await run(words)).toMatchObject({ code: 0, stdout: 'ok\n', stderr: '' });
  expect(await run(words)).toMatchObject({
    code: 0,
    stdout: 'ok\n',
    stderr: 'natter: warning: 80% of the weekly budget (1,000 tokens) is used\n',
  });
});

test('an answer without a limit is estimated by the longest one of the period', async () => {
  const { run } = await openPlace(0, [{ prompt_tokens: 10, completion_tokens: 700 }]);
  const { code, stderr } = await run(['--budget', '1000/day', 'hi']);
  expect(code).toBe(15);
  expect(stderr).toContain('may use ~705 tokens');
});

test('a budget in money does not limit the sandbox', async () => {
  const { run } = await openPlace(0);
  const { code, stderr } = await run(['--sandbox', '--budget', '1usd/day', 'hi']);
  expect(code).toBe(0);
  expect(stderr).toContain('the sandbox costs nothing: only a budget in tokens limits it\n');
});

test('the requests of other profiles and of the sandbox do not count', async () => {
  const others = [
    { prompt_tokens: 5000, profile: 'work' },
    { prompt_tokens: 5000, sandbox: true as const },
  ];
  const { run } = await openPlace(1, others);
  expect(await run(['-t', '50', '--budget', '1000/day', 'hi'])).toMatchObject({ code: 0 });
  expect(await run(['--sandbox', '-t', '50', '--budget', '1000/day', 'hi'])).toMatchObject({
    code: 15,
  });
});

test('the setting and the variable set a budget, the option wins', async () => {
  const { run } = await openPlace(1, [{ prompt_tokens: 990 }], { budget: '1000/month' });
  expect(await run(['hi'])).toMatchObject({ code: 15 });
  expect(await run(['hi'], '', { NATTER_BUDGET: '2/day' })).toMatchObject({ code: 15 });
  expect(await run(['--budget', '9k/day', 'hi'])).toMatchObject({ code: 0 });
});

test('a budget in money uses the prices of the profile', async () => {
  const priced = { prices: { origin: '1000/2000 EUR' } };
  const { run } = await openPlace(1, [{ prompt_tokens: 1000, completion_tokens: 1000 }], priced);
  const words = (budget: string) => ['-t', '100', '--budget', budget, 'hi'];
  const { code, stderr } = await run(words('3.10eur/week'));
  expect(code).toBe(15);
  expect(stderr).toContain(
    'the weekly budget (3.10 EUR) would be exceeded: 3.00 EUR used, and this request may use ~0.21 EUR',
  );
  expect(await run(words('5eur/week'))).toMatchObject({ code: 0 });
  expect(await run(words('5usd/week'))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('needs the price of the model origin in USD') as string,
  });
});

test('a batch stops before its budget, and continues with a higher one', async () => {
  const { run, server } = await openPlace(5);
  const folder = mkdtempSync(join(tmpdir(), 'natter-batch-'));
  const [input, output] = [join(folder, 'prompts.txt'), join(folder, 'answers.jsonl')];
  writeFileSync(input, 'one\ntwo\nthree\nfour\nfive\n');
  const words = ['batch', input, '-o', output, '-t', '95', '--budget'];
  const stopped = await run([...words, '320/day']);
  expect(stopped.code).toBe(15);
  expect(stopped.stderr).toContain('the daily budget (320 tokens) would be exceeded');
  expect(stopped.stderr).toContain('run the same command again for the rest');
  const answered = server.requests.length;
  expect(answered).toBeGreaterThanOrEqual(2);
  expect(answered).toBeLessThanOrEqual(3);
  expect(readFileSync(output, 'utf8').trimEnd().split('\n')).toHaveLength(answered);
  expect(await run([...words, '9k/day'])).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(5);
});

test('a batch with a budget in money stops before the first request without a price', async () => {
  const { run, server } = await openPlace(0);
  const words = ['batch', '-', '--budget', '5usd/day'];
  const { code, stdout, stderr } = await run(words, 'one\ntwo\nthree\n');
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('the daily budget needs the price of the model origin in USD; 0 ');
  expect(stderr).toContain('  natter config set prices.origin "0.5/1.5 USD"; ');
  expect(server.requests).toHaveLength(0);
});

test('a batch keeps the text of a cut answer whose retry exceeds the budget', async () => {
  const server = await serve([stream(delta('half an ans'))]);
  const env = { ...serviceAt(server), NATTER_STATE_DIR: stateWith([]) };
  const words = ['batch', '-', '-t', '95', '--retry-incomplete', '1', '--budget', '103/day'];
  const { code, stdout } = await runInMemory(words, { env, input: 'one\n' });
  expect(code).toBe(15);
  expect(server.requests).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ content: 'half an ans', error: { kind: 'budget' } });
});

test('requests that fit only one after the other wait for each other', async () => {
  const { run, server } = await openPlace(2);
  const result = await run(['compare', '-t', '150', '--budget', '300/day', '--quiet', 'hi']);
  expect(result).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(2);
});

test('a budget without a ledger is refused', async () => {
  const { run } = await openPlace(0);
  const { code, stderr } = await run(['--budget', '1k/day', 'hi'], '', { NATTER_LEDGER: 'false' });
  expect(code).toBe(3);
  expect(stderr).toContain('a budget needs the ledger, which the setting ledger turns off');
});

test('a budget that cannot be read is a usage failure', async () => {
  const { run } = await openPlace(0);
  const { code, stderr } = await run(['--budget', '5 bananas', 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain('--budget must be tokens or money with its currency');
});
