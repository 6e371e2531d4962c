import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf } from '../../support/folder.ts';
import { runInMemory } from '../../support/in-memory.ts';
import { jsonLines, serviceAt } from '../../support/natter.ts';
import { answering, json, streamed } from '../../support/raw-replies.ts';
import { runOn, serve } from '../../support/serve.ts';

interface Dry {
  readonly request: { readonly body: Readonly<Record<string, unknown>> };
  readonly estimate: { readonly tokens: number; readonly window: number | null };
}

test('P9 a prompt that cannot fit the window with any tokenizer is refused before it is sent', async () => {
  const input = 'x'.repeat(20_000_000);
  const { code, stderr, server } = await runOn([[streamed('never')]], ['hi'], { input });
  expect(code).toBe(7);
  expect(stderr).toBe(
    "natter: the prompt has 20,000,004 bytes, which cannot fit origin's window of 128,000 tokens\n" +
      '  send less text; natter --split auto sends it in pieces\n',
  );
  expect(server.requests).toHaveLength(0);
});

test('a prompt over the window causes a warning, and is sent', async () => {
  const input = 'word'.repeat(130_000);
  const { code, stderr } = await runOn([[streamed('answer')]], ['hi'], { input });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /~130,\d+ tokens, over origin's window of 128,000; -m nextgen has a larger window; --split auto sends it in pieces\n$/,
  );
});

test('the refusal of a prompt over the window names what helps', async () => {
  const reply = json(400, { error: { message: 'too many tokens', type: 'invalid_request_error' } });
  const { code, stderr } = await runOn([[reply]], ['hi'], { input: 'word'.repeat(130_000) });
  expect(code).toBe(7);
  expect(stderr).toContain('\n  send less text, send it in pieces with --split auto, or choose');
});

// The warning of docs/models.md has other numbers.

/** 10,000 tokens by the estimate. */
const long = 'abcd efgh ijkl mnop '.repeat(2000);

/** A natter with a service that gives these replies, and a state folder of its own. */
async function openService(...replies: readonly Buffer[]) {
  const server = await serve(replies.map((reply) => [reply]));
  const state = folderOf();
  const env = serviceAt(server, { NATTER_STATE_DIR: state });
  const file = join(state, 'models.json');
  const run = (words: readonly string[], input = '', more: Readonly<Record<string, string>> = {}) =>
    runInMemory(words, { env: { ...env, ...more }, input });
  return {
    server,
    file,
    run,
    stored: () => JSON.parse(readFileSync(file, 'utf8')) as object,
    /** The document of a dry run. */
    plan: async (model: string, input = 'hi', more: Readonly<Record<string, string>> = {}) => {
      const { stdout } = await run(['-m', model, '--dry-run', '-'], input, more);
      return JSON.parse(stdout) as Dry;
    },
  };
}

const serviceCounting = (...counts: readonly number[]) =>
  openService(...counts.map((count) => answering('the answer', { prompt_tokens: count })));

const problem = 'the service probably cut the prompt: it counted 2,048 tokens of ~10,000';

test('a cut prompt is one warning with both numbers and what to do', async () => {
  const { run } = await serviceCounting(2048);
  expect(await run(['-'], long)).toMatchObject({
    code: 0,
    stdout: 'the answer\n',
    stderr: `natter: warning: ${problem}; give the model a larger context in its server (Ollama: num_ctx, llama.cpp: -c), or send less text\n`,
  });
});

test('a prompt that was counted in full has no warning and no field', async () => {
  const { run } = await serviceCounting(9500, 9500);
  expect(await run(['-'], long)).toMatchObject({ code: 0, stderr: '' });
  expect((await run(['--json', '-'], long)).stdout).not.toContain('truncated');
});

test('--strict prints the answer, and fails with 16', async () => {
  const { run } = await serviceCounting(2048, 9500);
  const { code, stdout, stderr } = await run(['--strict', '-'], long);
  expect({ code, stdout }).toEqual({ code: 16, stdout: 'the answer\n' });
  expect(stderr).toMatch(new RegExp(`^natter: ${problem}\\n {2}give the model a larger context`));
  expect(await run(['--strict', '-'], long)).toMatchObject({ code: 0, stderr: '' });
});

test('a cut prompt is noticed although the answer was asked for twice', async () => {
  const { run } = await serviceCounting(2048, 9000);
  const { code, stderr } = await run(['--schema', 'name', '-'], long);
  expect(code).toBe(13);
  expect(stderr).toMatch(/warning: the service probably cut the prompt: it counted 2,048 tokens/);
});

const fields = { truncated_suspected: true, estimated_prompt_tokens: 10_000 };

test('--json and --jsonl have the field and the estimate', async () => {
  const { run } = await serviceCounting(2048, 2048);
  expect(JSON.parse((await run(['--json', '-'], long)).stdout)).toMatchObject(fields);
  const events = jsonLines((await run(['--jsonl', '-'], long)).stdout);
  expect(events.at(-1)).toMatchObject({ type: 'answer-finished', ...fields });
});

test('a comparison names the model, and fails with --strict', async () => {
  const { run } = await serviceCounting(2048, 2048, 2048, 2048);
  const { code, stderr } = await run(['compare', '--quiet', '-'], long);
  expect(code).toBe(0);
  expect(stderr).toContain(`natter: warning: origin: ${problem}`);
  const strict = await run(['compare', '--strict', '--json', '-'], long);
  expect(strict.code).toBe(16);
  expect(JSON.parse(strict.stdout)).toMatchObject({ answers: [fields, fields] });
});

test('--every names the lines of a cut prompt, and fails with --strict', async () => {
  const { run } = await serviceCounting(2048, 2048);
  const every = ['--every', '9l', 'sum up'];
  const { code, stderr } = await run(every, long);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^natter: warning: line 1: the service probably cut the prompt/m);
  expect(await run([...every, '--strict'], long)).toMatchObject({ code: 16 });
});

const listed = (windows: Readonly<Record<string, number>>) =>
  json(
    200,
    Object.entries(windows).map(([id, context_length]) => ({ id, context_length })),
  );

test('Y31: a window from models get is used too', async () => {
  const { run, plan } = await openService(json(200, { id: 'small', context_length: 4000 }));
  await run(['models', 'get', 'small']);
  expect((await plan('small')).estimate.window).toBe(4000);
});

test('Y31: the stored windows are private, contain no text, and apply only to their address', async () => {
  const large = { id: 'large', max_model_len: 32_000 };
  const list = json(200, { data: [{ id: 'small', context_length: 4000 }, large] });
  const { run, plan, file, stored, server } = await openService(list);
  await run(['models', 'list'], '', { NATTER_SAVE: 'false' });
  expect(existsSync(file)).toBe(false);
  await run(['models', 'list']);
  expect(stored()).toEqual({ [server.url]: { small: 4000, large: 32_000 } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = await plan('small', 'hi', { NATTER_BASE_URL: 'https://other.test' });
  expect(other.estimate.window).toBeNull();
});

test.each([
  ['', true],
  ['[', true],
  ['null', true],
  ['{"x":1}', false],
  ['{"http://127.0.0.1:1":{"small":"4000","large":-1}}', false],
])(
  'Y31: an invalid file (%j) is ignored, and said to be damaged if none of it can be read',
  async (content, isSaid) => {
    const state = folderOf({ 'models.json': content });
    const env = { NATTER_BASE_URL: 'http://127.0.0.1:1', NATTER_STATE_DIR: state };
    const { code, stdout, stderr } = await runInMemory(['-m', 'small', '--dry-run', 'hi'], { env });
    const said = `natter: ${join(state, 'models.json')} could not be read; the windows of models are learned again\n`;
    expect({ code, stderr }).toEqual({ code: 0, stderr: isSaid ? said : '' });
    expect((JSON.parse(stdout) as Dry).estimate.window).toBeNull();
  },
);

test('the setting window overrides the window of the service and of the catalogue', async () => {
  const { run, plan } = await openService(listed({ small: 4000 }), streamed('Hello'));
  await run(['models', 'list']);
  expect((await plan('small')).estimate.window).toBe(4000);
  for (const model of ['small', 'unknown', 'origin']) {
    expect((await plan(model, 'hi', { NATTER_WINDOW: '9000' })).estimate.window).toBe(9000);
  }
  const words = ['-m', 'mine', 'word '.repeat(4000)];
  const { stderr } = await run(words, '', { NATTER_WINDOW: '4000' });
  expect(stderr).toMatch(/~5,\d+ tokens, over mine's window of 4,000; --split auto sends it/);
});

/** 4,000 characters: 1,000 tokens by the usual estimate. */
const text = 'abcd efgh ijkl mnop '.repeat(200);

test('Y31: --model auto and the warning of the window use the windows of the list', async () => {
  const windows = { large: 32_000, 'embed-tiny': 100_000_000, small: 1500, middle: 8000 };
  const { run, plan, stored, server } = await openService(listed(windows), streamed('Hello'));
  await run(['models', 'list']);
  const chosen = async (input: string) => (await plan('auto', input)).request.body['model'];
  expect(await chosen(text)).toBe('small');
  expect(await chosen(text.repeat(2))).toBe('middle');
  expect(await chosen(text.repeat(20))).toBe('large');
  expect(await chosen(text.repeat(100))).toBe('large');
  expect((await run(['-m', 'small', '-'], text.repeat(2))).stderr).toContain(
    "~2,004 tokens, over small's window of 1,500; -m middle has a larger window",
  );
  expect(stored()).toEqual({ [server.url]: windows });
});

test.each([
  ['in its message', { message: "This model's maximum context length is 4096 tokens." }],
  ['in a field of its own', { code: 400, message: 'the prompt is too long', n_ctx: 4096 }],
])('N1: a refusal with the window %s teaches it, unless nothing is saved', async (_, error) => {
  const refusal = json(400, { error });
  const { run, plan, stored, file, server } = await openService(refusal, refusal, streamed('a'));
  const ask = (more = {}) => run(['-m', 'mine', '-'], text.repeat(6), more);
  await ask({ NATTER_SAVE: 'false' });
  expect(existsSync(file)).toBe(false);
  expect(await ask()).toMatchObject({ code: 7 });
  expect((await plan('mine')).estimate.window).toBe(4096);
  expect(stored()).toEqual({ [server.url]: { mine: 4096 } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await ask()).stderr).toContain("mine's window of 4,096");
});
