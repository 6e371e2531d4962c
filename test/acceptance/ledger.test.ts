import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerLine } from '../../src/usage/ledger.ts';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, serviceAt, startNatter } from '../support/natter.ts';
import { delta, done, json, response, stream, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const newFolder = (name: string) => mkdtempSync(join(tmpdir(), `natter-${name}-`));

/** Folders of a natter that uses the sandbox or a server, and its ledger. */
function openPlace(env: Readonly<Record<string, string>> = {}) {
  const state = newFolder('state');
  const folder = join(state, 'usage');
  const all = { ...env, NATTER_STATE_DIR: state, NATTER_DATA_DIR: newFolder('data') };
  const text = () =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  return {
    env: all,
    state,
    folder,
    text,
    lines: () => jsonLines(text()) as readonly LedgerLine[],
    run: (words: readonly string[], input?: string) =>
      runInMemory(words, { env: all, ...(input !== undefined && { input }) }),
  };
}

const usage = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 };
const completion = (fields: object) =>
  json(200, {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'a secret answer' },
        finish_reason: 'stop',
      },
    ],
    ...fields,
  });

test('a prompt is one line with its figures, and without a word of it', async () => {
  const server = await serve([[completion({ usage })]]);
  const place = openPlace(serviceAt(server));
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

test('the file of the month and its folder are private', async () => {
  const place = openPlace();
  await place.run(['--sandbox', 'hi']);
  const [line] = place.lines();
  const name = `${line?.time.slice(0, 7) ?? ''}.jsonl`;
  expect(readdirSync(place.folder)).toEqual([name]);
  expect(statSync(place.folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(place.folder, name)).mode & 0o777).toBe(0o600);
});

test('the line names the saved conversation', async () => {
  const place = openPlace();
  await place.run(['--sandbox', 'one']);
  await place.run(['--sandbox', '-c', 'two']);
  const [saved] = readdirSync(join(place.env.NATTER_DATA_DIR, 'conversations'));
  const id = saved?.replace(/\.jsonl$/, '');
  expect(place.lines().map(({ conversation }) => conversation)).toEqual([id, id]);
});

test('without saving conversations the line is written, and names none', async () => {
  const place = openPlace({ NATTER_SAVE: 'false' });
  await place.run(['--sandbox', 'hi']);
  expect(place.lines()).toMatchObject([{ conversation: null, sandbox: true }]);
});

test('the setting ledger turns the ledger off', async () => {
  const place = openPlace({ NATTER_LEDGER: 'false' });
  expect(await place.run(['--sandbox', 'hi'])).toMatchObject({ code: 0 });
  expect(readdirSync(place.state)).toEqual([]);
});

test('a replay and a dry run send nothing, and are not in the ledger', async () => {
  const place = openPlace();
  const recording = join(newFolder('recording'), 'tape.jsonl');
  await place.run(['--sandbox', '--record', recording, 'hi']);
  await place.run(['--replay', recording, 'hi']);
  await place.run(['--sandbox', '--dry-run', 'hi']);
  expect(place.lines()).toHaveLength(1);
});

test('tokens that the service does not report are null, and estimated', async () => {
  const server = await serve([[streamed('12345678')]]);
  const place = openPlace(serviceAt(server));
  await place.run(['12345678']);
  expect(place.lines()).toMatchObject([
    {
      prompt_tokens: null,
      completion_tokens: null,
      estimated: { prompt_tokens: 6, completion_tokens: 2 },
    },
  ]);
});

test('a failed request has the kind of its failure, and no tokens', async () => {
  const refusal = response(429, { 'retry-after': '0' });
  const server = await serve([[refusal], [refusal], [json(401, {})]]);
  const place = openPlace(serviceAt(server));
  expect(await place.run(['hi'])).toMatchObject({ code: 4 });
  const [line] = place.lines();
  expect(line).toMatchObject({ outcome: 'unauthorized', attempts: 3, prompt_tokens: null });
  expect(line).not.toHaveProperty('estimated');
});

test('an answer that breaks off is incomplete, with the tokens received so far', async () => {
  const server = await serve([[Buffer.concat(stream(delta('12345678')))]]);
  const place = openPlace(serviceAt(server));
  expect(await place.run(['12345678'])).toMatchObject({ code: 11 });
  expect(place.lines()).toMatchObject([
    { outcome: 'incomplete', estimated: { prompt_tokens: 6, completion_tokens: 2 } },
  ]);
});

test('an answer that Ctrl+C stops is in the ledger', async () => {
  const place = openPlace();
  const words = ['--sandbox', '[sandbox tokens=500 rate=20] hi'];
  const running = startNatter(words, { env: place.env });
  await running.waitFor('stdout', /\S/);
  running.child.kill('SIGINT');
  await running.result;
  expect(place.lines()).toMatchObject([{ outcome: 'stopped', command: 'chat' }]);
});

test('a comparison has a line for each model', async () => {
  const place = openPlace();
  await place.run(['--sandbox', 'compare', 'hi']);
  const lines = place.lines();
  expect(lines.map(({ model }) => model).sort()).toEqual(['nextgen', 'origin']);
  expect(lines).toMatchObject([{ command: 'compare' }, { command: 'compare' }]);
  expect(new Set(lines.map(({ conversation }) => conversation)).size).toBe(1);
});

test('a batch has a line for each item, all with the id of the run', async () => {
  const place = openPlace();
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
  const server = await serve([[refusal], [refusal], [completion({ usage })]]);
  const place = openPlace(serviceAt(server));
  await place.run(['batch', '-', '--concurrency', '1', ...options], 'hi\n');
  expect(place.lines()).toMatchObject([{ outcome: 'answered', attempts: 3 }]);
});

test('processes that run at the same time lose no line and break none', async () => {
  const place = openPlace();
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
  const place = openPlace();
  writeFileSync(place.folder, 'not a folder');
  const { code, stderr } = await place.run(['--sandbox', 'hi']);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^natter: warning: not in the ledger: cannot write .*; NATTER_LEDGER=false/,
  );
  const input = 'one\ntwo\nthree\n';
  const batch = await place.run(['--sandbox', 'batch', '-', '--concurrency', '1'], input);
  expect(batch.code).toBe(0);
  expect(batch.stderr.match(/not in the ledger/g)).toHaveLength(1);
});

test('a line that was cut by a full disk breaks only itself', async () => {
  const place = openPlace();
  await place.run(['--sandbox', 'one']);
  const [name = ''] = readdirSync(place.folder);
  const file = join(place.folder, name);
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20));
  await place.run(['--sandbox', 'two']);
  const [first = '', second = ''] = place.text().split('\n');
  expect(() => JSON.parse(first) as unknown).toThrow(SyntaxError);
  expect(JSON.parse(second)).toMatchObject({ command: 'chat' });
});

test('a key that was typed as the model is masked', async () => {
  const place = openPlace({ NATTER_API_KEY: 'sk-0123456789abcdef' });
  await place.run(['--sandbox', '-m', 'sk-0123456789abcdef', 'hi']);
  expect(place.text()).toContain('"model":"');
  expect(place.text()).not.toContain('0123456789');
});

test('streamed answers with usage have its counts', async () => {
  const report = `data: ${JSON.stringify({ choices: [], usage })}\n\n`;
  const server = await serve([[Buffer.concat(stream(delta('Hello'), report, done))]]);
  const place = openPlace(serviceAt(server));
  await place.run(['hi']);
  expect(place.lines()).toMatchObject([{ prompt_tokens: 12, completion_tokens: 34 }]);
});

test('a batch item whose content is a list of parts is counted by its text', async () => {
  const server = await serve([[streamed('Hello')]]);
  const place = openPlace(serviceAt(server));
  const content = [{ type: 'text', text: 'who are you?' }];
  const body = { model: 'origin', messages: [{ role: 'user', content }] };
  const item = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body };
  const { code } = await place.run(['batch', '-', '--budget', '1M/day'], JSON.stringify(item));
  expect(code).toBe(0);
  const [line] = place.lines();
  expect(line).toMatchObject({ outcome: 'answered', prompt_tokens: null });
  expect(line?.estimated?.prompt_tokens).toBeLessThan(10);
});
