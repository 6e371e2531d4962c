import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runNatter, serviceAt } from '../support/natter.ts';
import { answerCounting, json, streamed } from '../support/raw-replies.ts';
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
    runNatter([...words, '-'], { env, input });
  return {
    env,
    file,
    run,
    stored: () => (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)[server.url],
    plan: async (model: string, input = text) =>
      JSON.parse((await run(['-m', model, '--dry-run'], input)).stdout) as DryRun,
  };
}

test('the estimate for a model uses what the service counted, after three answers', async () => {
  const { run, plan, stored, file } = await serviceWith(...Array(5).fill(answerCounting(1604)));
  const estimates: number[] = [];
  for (let answers = 0; answers < 4; answers += 1) {
    estimates.push((await plan('mine')).estimate.tokens);
    expect(await run(['-m', 'mine'])).toMatchObject({ code: 0 });
  }
  expect(estimates).toEqual([1004, 1004, 1004, 1604]);
  expect(stored()).toEqual({ mine: { ascii: [0.4, 0.4, 0.4] } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await plan('other')).estimate.tokens).toBe(1004);
  const before = statSync(file);
  await run(['-m', 'mine']);
  expect(statSync(file).ino).toBe(before.ino);
});

test('the learned estimate decides about the warning of the window and about auto', async () => {
  const models = json(200, {
    data: [
      { id: 'large', context_length: 32_000 },
      { id: 'embed-tiny', context_length: 100_000_000 },
      { id: 'small', context_length: 1500 },
      { id: 'middle', max_model_len: 8000 },
    ],
  });
  const answers = Array(4).fill(answerCounting(1604));
  const { env, run, plan, stored } = await serviceWith(models, ...answers);
  await runNatter(['models', 'list'], { env });
  const chosen = async (input: string) => (await plan('auto', input)).request.body.model;
  expect(await chosen(text)).toBe('small');
  expect(await chosen(text.repeat(2))).toBe('middle');
  expect(await chosen(text.repeat(20))).toBe('large');
  expect(await chosen(text.repeat(100))).toBe('large');
  for (let answer = 0; answer < 3; answer += 1) {
    expect((await run(['-m', 'small'])).stderr).toBe('');
  }
  expect((await run(['-m', 'small'])).stderr).toContain(
    "~1,604 tokens, over small's window of 1,500; -m middle has a larger window",
  );
  expect(await chosen(text)).toBe('middle');
  expect(stored()).toMatchObject({
    small: { window: 1500, ascii: [0.4, 0.4, 0.4] },
    large: 32_000,
  });
});

test('an odd count, a cut prompt and an answer with save=false teach nothing', async () => {
  const { env, run, file } = await serviceWith(
    answerCounting(1),
    answerCounting(90_000),
    answerCounting(2048),
    answerCounting(1604),
  );
  await run(['-m', 'mine']);
  await run(['-m', 'mine']);
  await run(['-m', 'mine'], text.repeat(10));
  await runNatter(['-m', 'mine', '-'], { env: { ...env, NATTER_SAVE: 'false' }, input: text });
  expect(() => statSync(file)).toThrow('ENOENT');
});

test('a refusal that names the window teaches it', async () => {
  const message = "This model's maximum context length is 4096 tokens.";
  const { run, plan } = await serviceWith(json(400, { error: { message } }), streamed('Hello'));
  expect(await run(['-m', 'mine'], text.repeat(6))).toMatchObject({ code: 7 });
  expect((await plan('mine')).estimate.window).toBe(4096);
  expect((await run(['-m', 'mine'], text.repeat(6))).stderr).toContain("mine's window of 4,096");
});

test('a batch and prompts at the same time leave a complete file', async () => {
  const { env, run, stored } = await serviceWith(...Array(44).fill(answerCounting(1604)));
  const input = `${text}\n`.repeat(40);
  const runs = [1, 2, 3, 4].map((number) => run(['-m', `model-${number}`]));
  const batch = runNatter(['batch', '-m', 'batched', '-'], { env, input });
  for (const { code } of await Promise.all([...runs, batch])) expect(code).toBe(0);
  const models = stored() as Record<string, { readonly ascii: readonly number[] }>;
  expect(Object.keys(models).length).toBeGreaterThan(0);
  for (const { ascii } of Object.values(models)) expect(new Set(ascii)).toEqual(new Set([0.4]));
});
