import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

/** 4,000 characters: 1,000 tokens by the usual estimate. */
const text = 'abcd efgh ijkl mnop '.repeat(200);

interface DryRun {
  readonly estimate: { readonly tokens: number; readonly window: number | null };
  readonly request: { readonly body: { readonly model: string } };
}

async function serviceWith(...replies: readonly Buffer[]) {
  const server = await serve(replies.map((reply) => [reply]));
  const state = mkdtempSync(join(tmpdir(), 'natter-state-'));
  const env = { ...serviceAt(server), NATTER_STATE_DIR: state };
  const file = join(state, 'models.json');
  const run = (words: readonly string[], input = text) =>
    runInMemory([...words, '-'], { env, input });
  return {
    env,
    file,
    run,
    stored: () => (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)[server.url],
    plan: async (model: string, input = text) =>
      JSON.parse((await run(['-m', model, '--dry-run'], input)).stdout) as DryRun,
  };
}

test('--model auto and the warning of the window use the windows of the list', async () => {
  const models = json(200, {
    data: [
      { id: 'large', context_length: 32_000 },
      { id: 'embed-tiny', context_length: 100_000_000 },
      { id: 'small', context_length: 1500 },
      { id: 'middle', max_model_len: 8000 },
    ],
  });
  const { env, run, plan, stored } = await serviceWith(models, streamed('Hello'));
  await runInMemory(['models', 'list'], { env });
  const chosen = async (input: string) => (await plan('auto', input)).request.body.model;
  expect(await chosen(text)).toBe('small');
  expect(await chosen(text.repeat(2))).toBe('middle');
  expect(await chosen(text.repeat(20))).toBe('large');
  expect(await chosen(text.repeat(100))).toBe('large');
  expect((await run(['-m', 'small'], text.repeat(2))).stderr).toContain(
    "~2,004 tokens, over small's window of 1,500; -m middle has a larger window",
  );
  expect(stored()).toEqual({ large: 32_000, 'embed-tiny': 100_000_000, small: 1500, middle: 8000 });
});

test('N1: a refusal that names the window teaches it', async () => {
  const message = "This model's maximum context length is 4096 tokens.";
  const { run, plan } = await serviceWith(json(400, { error: { message } }), streamed('Hello'));
  expect(await run(['-m', 'mine'], text.repeat(6))).toMatchObject({ code: 7 });
  expect((await plan('mine')).estimate.window).toBe(4096);
  expect((await run(['-m', 'mine'], text.repeat(6))).stderr).toContain("mine's window of 4,096");
});

test('N1: a refusal with the window in a field of its own teaches it', async () => {
  const error = { code: 400, message: 'the prompt is too long', n_ctx: 4096 };
  const { run, plan, stored, file } = await serviceWith(json(400, { error }));
  expect(await run(['-m', 'mine'], text.repeat(6))).toMatchObject({ code: 7 });
  expect((await plan('mine')).estimate.window).toBe(4096);
  expect(stored()).toEqual({ mine: 4096 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('N1: the size of the prompt is not learned as a window', async () => {
  const message = 'context window: 6235 tokens, exceeded by 1200 tokens';
  const { run, file } = await serviceWith(json(400, { error: { message } }));
  expect(await run(['-m', 'mine'], text.repeat(6))).toMatchObject({ code: 7 });
  expect(() => statSync(file)).toThrow('ENOENT');
});

test('a refusal with save=false teaches nothing', async () => {
  const message = "This model's maximum context length is 4096 tokens.";
  const { env, file } = await serviceWith(json(400, { error: { message } }));
  const input = text.repeat(6);
  await runInMemory(['-m', 'mine', '-'], { env: { ...env, NATTER_SAVE: 'false' }, input });
  expect(() => statSync(file)).toThrow('ENOENT');
});
