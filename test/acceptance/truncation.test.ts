import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonLines, runNatter, serviceAt } from '../support/natter.ts';
import { answerCounting } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

// The warning of docs/models.md has other numbers.

/** 10,000 tokens by the estimate. */
const long = 'abcd efgh ijkl mnop '.repeat(2000);

/** A service that counts these tokens for its prompts. */
async function serviceCounting(...counts: readonly number[]) {
  const server = await serve(counts.map((count) => [answerCounting(count)]));
  const env = { ...serviceAt(server), NATTER_SAVE: 'false' };
  return (words: readonly string[], input = '') => runNatter(words, { env, input });
}

const problem = 'the service probably cut the prompt: it counted 2,048 tokens of ~10,000';

test('a cut prompt is one warning with both numbers and what to do', async () => {
  const run = await serviceCounting(2048);
  expect(await run(['-'], long)).toMatchObject({
    code: 0,
    stdout: 'the answer\n',
    stderr: `natter: warning: ${problem}; give the model a larger context in its server (Ollama: num_ctx, llama.cpp: -c), or send less text\n`,
  });
});

test('a prompt that was counted in full has no warning and no field', async () => {
  const run = await serviceCounting(9500, 9500);
  expect(await run(['-'], long)).toMatchObject({ code: 0, stderr: '' });
  expect((await run(['--json', '-'], long)).stdout).not.toContain('truncated');
});

test('--strict prints the answer, and fails with 16', async () => {
  const run = await serviceCounting(2048, 9500);
  const { code, stdout, stderr } = await run(['--strict', '-'], long);
  expect({ code, stdout }).toEqual({ code: 16, stdout: 'the answer\n' });
  expect(stderr).toMatch(new RegExp(`^natter: ${problem}\\n {2}give the model a larger context`));
  expect(await run(['--strict', '-'], long)).toMatchObject({ code: 0, stderr: '' });
});

test('a cut prompt is noticed although the answer was asked for twice', async () => {
  const run = await serviceCounting(2048, 9000);
  const { code, stderr } = await run(['--schema', 'name', '-'], long);
  expect(code).toBe(13);
  expect(stderr).toMatch(
    /warning: the service probably cut the prompt: it counted 2,048 tokens of/,
  );
});

const fields = { truncated_suspected: true, estimated_prompt_tokens: 10_000 };

test('--json and --jsonl have the field and the estimate', async () => {
  const run = await serviceCounting(2048, 2048);
  expect(JSON.parse((await run(['--json', '-'], long)).stdout)).toMatchObject(fields);
  const events = jsonLines((await run(['--jsonl', '-'], long)).stdout);
  expect(events.at(-1)).toMatchObject({ type: 'answer-finished', ...fields });
});

test('a comparison names the model, and fails with --strict', async () => {
  const run = await serviceCounting(2048, 2048, 2048, 2048);
  const { code, stderr } = await run(['compare', '--quiet', '-'], long);
  expect(code).toBe(0);
  expect(stderr).toContain(`natter: warning: origin: ${problem}`);
  const strict = await run(['compare', '--strict', '--json', '-'], long);
  expect(strict.code).toBe(16);
  expect(JSON.parse(strict.stdout)).toMatchObject({ answers: [fields, fields] });
});

test('a batch marks the results, and warns once', async () => {
  const run = await serviceCounting(2048, 2048, 2048);
  const { code, stdout, stderr } = await run(['batch', '-'], `${long}\n${long}\nshort\n`);
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([fields, fields, {}]);
  expect(stderr.match(/probably cut the prompt/g)).toHaveLength(1);
});

test('with --strict the items of a batch fail, and are sent again by the next run', async () => {
  const run = await serviceCounting(2048, 2048, 9500, 9500);
  const folder = mkdtempSync(join(tmpdir(), 'natter-batch-'));
  const [input, output] = [join(folder, 'prompts.txt'), join(folder, 'answers.jsonl')];
  writeFileSync(input, `${long}\n${long}\n`);
  const words = ['batch', input, '-o', output, '--strict'];
  expect(await run(words)).toMatchObject({ code: 16 });
  const results = jsonLines(readFileSync(output, 'utf8'));
  const error = { kind: 'truncated_prompt' };
  expect(results).toMatchObject([{ content: 'the answer', error }, { error }]);
  expect(await run(words)).toMatchObject({ code: 0 });
});
