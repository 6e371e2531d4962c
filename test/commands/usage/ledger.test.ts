import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerLine } from '../../../src/usage/ledger.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { serviceAt } from '../../support/natter.ts';
import { answering, delta, json, response, stream, streamed } from '../../support/raw-replies.ts';
import type { Reply } from '../../support/raw-server.ts';
import { runOn, serve } from '../../support/serve.ts';
import { stateWith } from '../../usage/ledger-place.ts';
import { configWith, openLedger } from '../../support/data-folder.ts';
import { folderOf } from '../../support/folder.ts';
import { unreadLines } from '../../../src/storage/read-lines.ts';

const time = new Date().toISOString();

const lastYear = new Date(Date.now() - 400 * 86_400_000).toISOString();

/** A service that uses 100 tokens for each prompt, and a ledger with these requests. */
async function openBudget(
  replies: number,
  lines: readonly Partial<LedgerLine>[] = [],
  profile: object = {},
) {
  const counts = { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 };
  const server = await serve(Array.from({ length: replies }, () => [answering('ok', counts)]));
  const env = serviceAt(server, {
    NATTER_STATE_DIR: stateWith(lines.map((line) => ({ time, ...line }))),
    NATTER_CONFIG_DIR: configWith({ default: profile }),
  });
  const run = (words: readonly string[], input = '', more: Record<string, string> = {}) =>
    runInMemory(words, { env: { ...env, ...more }, input });
  return { server, run };
}

test('a request that might exceed the budget is not sent', async () => {
  const used = { prompt_tokens: 900, completion_tokens: 50 };
  const { run, server } = await openBudget(0, [used, { ...used, time: lastYear }]);
  expectFailure(
    await run(['-t', '100', '--budget', '1k/day', 'hi']),
    15,
    'the daily budget (1,000 tokens) would be exceeded: 950 tokens used, and this request may use ~105 tokens\n',
    / {2}set a smaller --max-tokens, raise --budget, or wait until .*; natter usage shows the requests\n/,
  );
  expect(server.requests).toHaveLength(0);
});

const limit = ['-t', '9', '--budget', '1k/day'];
test.each<[readonly string[], Record<string, string>, number, string]>([
  [limit, {}, 2000, '  raise --budget, or wait until'],
  [['--budget', '1k/day'], {}, 0, '  set --max-tokens, raise --budget, or wait until'],
  [[], { NATTER_BUDGET: '1k/day' }, 2000, '  raise NATTER_BUDGET, or wait until'],
  [['--sandbox', '--budget', '8/day'], {}, 0, '; natter usage --sandbox shows the requests\n'],
])('the hint of a refusal depends on its cause: %j %j', async (words, env, used, hint) => {
  const { run } = await openBudget(0, used === 0 ? [] : [{ prompt_tokens: used }]);
  expectFailure(await run([...words, 'hi'], '', env), 15, hint);
});

test('a request that fits is sent, with one warning from 80 % on', async () => {
  const { run } = await openBudget(2, [{ prompt_tokens: 400, completion_tokens: 300 }]);
  const words = ['-t', '50', '--budget', '1000/week', 'hi'];
  expect(await run(words)).toMatchObject({ code: 0, stdout: 'ok\n', stderr: '' });
  expect(await run(words)).toMatchObject({
    code: 0,
    stdout: 'ok\n',
    stderr: 'natter: warning: 80% of the weekly budget (1,000 tokens) is used\n',
  });
});

test('a budget in money does not limit the sandbox', async () => {
  const { run } = await openBudget(0);
  const { code, stderr } = await run(['--sandbox', '--budget', '1usd/day', 'hi']);
  expect(code).toBe(0);
  expect(stderr).toContain('the sandbox costs nothing: only a budget in tokens limits it\n');
});

test('the requests of other profiles and of the sandbox do not count', async () => {
  const others = [
    { prompt_tokens: 5000, profile: 'work' },
    { prompt_tokens: 5000, sandbox: true as const },
  ];
  const { run } = await openBudget(1, others);
  expect(await run(['-t', '50', '--budget', '1000/day', 'hi'])).toMatchObject({ code: 0 });
  expect((await run(['--sandbox', '-t', '50', '--budget', '1000/day', 'hi'])).code).toBe(15);
});

test('the setting and the variable set a budget, the option wins', async () => {
  const { run } = await openBudget(1, [{ prompt_tokens: 990 }], { budget: '1000/month' });
  expect(await run(['hi'])).toMatchObject({ code: 15 });
  expect(await run(['hi'], '', { NATTER_BUDGET: '2/day' })).toMatchObject({ code: 15 });
  expect(await run(['--budget', '9k/day', 'hi'])).toMatchObject({ code: 0 });
});

test('a budget in money uses the prices of the profile', async () => {
  const priced = { prices: { origin: '1000/2000 EUR' } };
  const { run } = await openBudget(1, [{ prompt_tokens: 1000, completion_tokens: 1000 }], priced);
  const words = (budget: string) => ['-t', '100', '--budget', budget, 'hi'];
  expectFailure(
    await run(words('3.10eur/week')),
    15,
    'the weekly budget (3.10 EUR) would be exceeded: 3.00 EUR used, and this request may use ~0.21 EUR',
  );
  expect(await run(words('5eur/week'))).toMatchObject({ code: 0 });
  expectFailure(await run(words('5usd/week')), 3, 'needs the price of the model origin in USD');
});

test('a batch stops before its budget, and continues with a higher one', async () => {
  const { run, server } = await openBudget(5);
  const folder = folderOf();
  const [input, output] = [join(folder, 'prompts.txt'), join(folder, 'answers.jsonl')];
  writeFileSync(input, 'one\ntwo\nthree\nfour\nfive\n');
  const words = ['batch', input, '-o', output, '-t', '95', '--budget'];
  expectFailure(
    await run([...words, '320/day']),
    15,
    'the daily budget (320 tokens) would be exceeded',
    'run the same command again for the rest',
  );
  const answered = server.requests.length;
  expect(answered).toBeGreaterThanOrEqual(2);
  expect(answered).toBeLessThanOrEqual(3);
  expect(readFileSync(output, 'utf8').trimEnd().split('\n')).toHaveLength(answered);
  expect(await run([...words, '9k/day'])).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(5);
});

test('a batch keeps the text of a cut answer whose retry exceeds the budget', async () => {
  const words = ['batch', '-', '-t', '95', '--retry-incomplete', '1', '--budget', '103/day'];
  const { code, stdout, server } = await runOn([stream(delta('half an ans'))], words, {
    env: { NATTER_STATE_DIR: stateWith([]) },
    input: 'one\n',
  });
  expect(code).toBe(15);
  expect(server.requests).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ content: 'half an ans', error: { kind: 'budget' } });
});

test('a budget without a ledger is refused', async () => {
  const { run } = await openBudget(0);
  const result = await run(['--budget', '1k/day', 'hi'], '', { NATTER_LEDGER: 'false' });
  expectFailure(result, 3, 'a budget needs the ledger, which the setting ledger turns off');
});

const usage = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 };

/** A ledger of requests to a service that gives these replies. */
const openWith = async (...replies: readonly Reply[]) =>
  openLedger({ ...serviceAt(await serve(replies)), NATTER_CONFIG_DIR: folderOf() });

test('a prompt is one line with its figures, and without a word of it', async () => {
  const place = await openWith([answering('a secret answer', usage)]);
  await place.run(['-m', 'nextgen', 'a private prompt']);
  expect(place.lines()).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      command: 'chat',
      profile: 'default',
      model: 'nextgen',
      prompt_tokens: 12,
      completion_tokens: 34,
      ms: expect.any(Number) as number,
      outcome: 'answered',
      attempts: 1,
      conversation: expect.stringMatching(/^[a-z0-9]+$/) as string,
      batch: null,
    },
  ]);
  expect(place.text()).not.toMatch(/private|secret|127\.0\.0\.1|test-key/);
});

test('cached tokens are shown, kept in the ledger, and have a price of their own', async () => {
  const cached = { ...usage, prompt_tokens: 2000, prompt_tokens_details: { cached_tokens: 1000 } };
  const place = await openWith([answering('a secret answer', cached)]);
  await place.run(['config', 'set', 'prices.nextgen', '2/0/0.2']);
  const { stdout } = await place.run(['-m', 'nextgen', '--json', 'hi']);
  expect(JSON.parse(stdout)).toMatchObject({
    usage: { prompt_tokens: 2000, cached_tokens: 1000 },
    cost: { USD: 0.0022 },
  });
  expect(place.lines()).toMatchObject([{ prompt_tokens: 2000, cached_tokens: 1000 }]);
  const shown = await place.run(['usage', '--json']);
  const total = { cached_tokens: 1000, cost: { USD: 0.0022 } };
  expect(JSON.parse(shown.stdout)).toMatchObject({ total });
});

test('--json has the cost of all requests for a checked answer, and none in the sandbox', async () => {
  const counts = { prompt_tokens: 1000, completion_tokens: 0 };
  const reply = answering('a secret answer', counts);
  const place = await openWith([reply], [reply]);
  await place.run(['config', 'set', 'prices.origin', '2/0 EUR']);
  const checked = await place.run(['--json', '--schema', 'age int', 'hi']);
  expect(JSON.parse(checked.stdout)).toMatchObject({ cost: { EUR: 0.004 } });
  const { stdout } = await place.run(['--sandbox', '--json', 'hi']);
  expect(JSON.parse(stdout)).not.toHaveProperty('cost');
});

test('the file of the month and its folder are private; an unsaved conversation is not named', async () => {
  const place = openLedger({ NATTER_SAVE: 'false' });
  await place.run(['--sandbox', 'hi']);
  expect(place.lines()).toMatchObject([{ conversation: null, sandbox: true }]);
  const [line] = place.lines();
  const name = `${line?.time.slice(0, 7) ?? ''}.jsonl`;
  expect(readdirSync(place.folder)).toEqual([name]);
  expect(statSync(place.folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(place.folder, name)).mode & 0o777).toBe(0o600);
});

test('the line names the saved conversation', async () => {
  const place = openLedger();
  await place.run(['--sandbox', 'one']);
  await place.run(['--sandbox', '-c', 'two']);
  const [saved] = readdirSync(join(place.env.NATTER_DATA_DIR, 'conversations'));
  const id = saved?.replace(/\.jsonl$/, '');
  expect(place.lines().map(({ conversation }) => conversation)).toEqual([id, id]);
});

test('the setting ledger turns the ledger off', async () => {
  const place = openLedger({ NATTER_LEDGER: 'false' });
  expect(await place.run(['--sandbox', 'hi'])).toMatchObject({ code: 0 });
  expect(readdirSync(place.state)).toEqual([]);
});

test('a replay and a dry run send nothing, and are not in the ledger', async () => {
  const place = openLedger();
  const recording = join(folderOf(), 'tape.jsonl');
  await place.run(['--sandbox', '--record', recording, 'hi']);
  await place.run(['--replay', recording, 'hi']);
  await place.run(['--sandbox', '--dry-run', 'hi']);
  expect(place.lines()).toHaveLength(1);
});

test('tokens that the service does not report are null, and estimated', async () => {
  const place = await openWith([streamed('12345678')]);
  await place.run(['12345678']);
  const estimated = { prompt_tokens: 6, completion_tokens: 2 };
  const unknown = { prompt_tokens: null, completion_tokens: null };
  expect(place.lines()).toMatchObject([{ ...unknown, estimated }]);
});

test('a failed request has the kind of its failure, and no tokens', async () => {
  const refusal = response(429, { 'retry-after': '0' });
  const place = await openWith([refusal], [refusal], [json(401, {})]);
  expect(await place.run(['hi'])).toMatchObject({ code: 4 });
  const [line] = place.lines();
  expect(line).toMatchObject({ outcome: 'unauthorized', attempts: 3, prompt_tokens: null });
  expect(line).not.toHaveProperty('estimated');
});

test('an answer that breaks off is incomplete, with the tokens received so far', async () => {
  const place = await openWith([Buffer.concat(stream(delta('12345678')))]);
  expect(await place.run(['12345678'])).toMatchObject({ code: 11 });
  expect(place.lines()).toMatchObject([
    { outcome: 'incomplete', estimated: { prompt_tokens: 6, completion_tokens: 2 } },
  ]);
});

test.each<[string, string, string]>([
  ['run', 'run FILE', ''],
  ['chat --every', '--every 1l echo', 'one\ntwo\n'],
  ['chat --split', '--split lines echo', 'a line of the text\n'.repeat(40_000)],
])('the requests of natter %s have its name', async (command, line, input) => {
  const place = openLedger();
  const file = join(folderOf({ 'hello.md': 'hello\n' }), 'hello.md');
  const words = line.replace('FILE', file).split(' ');
  expect(await place.run(['--sandbox', ...words], input)).toMatchObject({ code: 0 });
  expect(new Set(place.lines().map((one) => one.command))).toEqual(new Set([command]));
});

test('a comparison has a line for each model', async () => {
  const place = openLedger();
  await place.run(['--sandbox', 'compare', 'hi']);
  const lines = place.lines();
  expect(lines.map(({ model }) => model).sort()).toEqual(['nextgen', 'origin']);
  expect(lines).toMatchObject([{ command: 'compare' }, { command: 'compare' }]);
  expect(new Set(lines.map(({ conversation }) => conversation)).size).toBe(1);
});

test('a batch has a line for each item, all with the id of the run', async () => {
  const place = openLedger();
  const input = Array.from({ length: 40 }, (_, index) => `[sandbox echo] ${index}\n`).join('');
  await place.run(['--sandbox', 'batch', '-'], input);
  const lines = place.lines();
  expect(lines).toHaveLength(40);
  expect(new Set(lines.map(({ batch }) => batch)).size).toBe(1);
  expect(lines[0]).toMatchObject({ command: 'batch', conversation: null });
  expect(lines[0]?.batch).toMatch(/^\d{8}-\d{6}-\w{4}$/);
});

test.each([
  ['as it is', []],
  ['with placeholders for secrets', ['--redact']],
])('a refused item of a batch, sent %s, is one line with all its attempts', async (_, options) => {
  const refusal = response(429, { 'retry-after': '0' });
  const place = await openWith([refusal], [refusal], [answering('a secret answer', usage)]);
  await place.run(['batch', '-', '--concurrency', '1', ...options], 'hi\n');
  expect(place.lines()).toMatchObject([{ outcome: 'answered', attempts: 3 }]);
});

test('processes that run at the same time lose no line and break none', async () => {
  const place = openLedger();
  const input = Array.from({ length: 100 }, (_, index) => `[sandbox echo] ${index}\n`).join('');
  await Promise.all([
    place.run(['--sandbox', 'batch', '-'], input),
    place.run(['--sandbox', 'batch', '-'], input),
    place.run(['--sandbox', 'one']),
    place.run(['--sandbox', 'two']),
  ]);
  expect(place.lines()).toHaveLength(202);
});

test('a ledger that cannot be written is one warning, and the run succeeds', async () => {
  const place = openLedger();
  writeFileSync(place.folder, 'not a folder');
  const { code, stderr } = await place.run(['--sandbox', 'hi']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^natter: warning: not in the ledger: cannot write .*; NATTER_LEDGER/);
  const input = 'one\ntwo\nthree\n';
  const batch = await place.run(['--sandbox', 'batch', '-', '--concurrency', '1'], input);
  expect(batch.code).toBe(0);
  expect(batch.stderr.match(/not in the ledger/g)).toHaveLength(1);
});

test('N13: a home that can have no ledger causes no warning, but refuses a budget', async () => {
  const env = { NATTER_STATE_DIR: '/dev/null/state' };
  const words = ['--sandbox', '--no-save', 'hi'];
  expect(await runInMemory(words, { env })).toMatchObject({ code: 0, stderr: '' });
  expect(await runInMemory(['--budget', '1m/day', ...words], { env })).toMatchObject({ code: 12 });
});

/** A ledger with one line, whose file has changed. */
async function openDamaged(change: (text: string) => string) {
  const place = openLedger();
  await place.run(['--sandbox', 'one']);
  const file = join(place.folder, readdirSync(place.folder)[0] ?? '');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return { ...place, file };
}

test('a budget warns that a damaged line is not counted', async () => {
  const { run, file } = await openDamaged((text) => `${text}{"time":`);
  const { stderr } = await run(['--sandbox', '--budget', '1m/day', 'two']);
  expect(stderr).toBe(`natter: warning: ${unreadLines(file, [2])}\n`);
});

test('a line that was cut by a full disk breaks only itself', async () => {
  const { run, text } = await openDamaged((whole) => whole.slice(0, -20));
  await run(['--sandbox', 'two']);
  const [first = '', second = ''] = text().split('\n');
  expect(() => JSON.parse(first) as unknown).toThrow(SyntaxError);
  expect(JSON.parse(second)).toMatchObject({ command: 'chat' });
});

test('a key that was typed as the model is masked', async () => {
  const place = openLedger({ NATTER_API_KEY: 'sk-0123456789abcdef' });
  await place.run(['--sandbox', '-m', 'sk-0123456789abcdef', 'hi']);
  expect(place.text()).toContain('"model":"');
  expect(place.text()).not.toContain('0123456789');
});

test('a batch item whose content is a list of parts is counted by its text', async () => {
  const place = await openWith([streamed('Hello')]);
  const content = [{ type: 'text', text: 'who are you?' }];
  const body = { model: 'origin', messages: [{ role: 'user', content }] };
  const item = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body };
  const { code } = await place.run(['batch', '-', '--budget', '1M/day'], JSON.stringify(item));
  expect(code).toBe(0);
  const [line] = place.lines();
  expect(line).toMatchObject({ outcome: 'answered', prompt_tokens: null });
  expect(line?.estimated?.prompt_tokens).toBeLessThan(10);
});
